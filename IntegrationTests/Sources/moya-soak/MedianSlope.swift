/// The slope that points of several groups have in common: the median of the slopes between any two points of the same
/// group (the Theil-Sen estimator).
///
/// Each group has a separate level, so an additional thread is a step, not growth. So is a thread's cache: Dispatch
/// keeps up to 1,024 work items for each thread, about 80 KiB, and allocates them in steps. A line through all points
/// would treat such a step as a slope; memory that leaks with every call affects the slope of nearly every pair of
/// points.
struct MedianSlope {
    let slope: Double
    /// The lower bound of the slope, with three standard errors to spare: from the number of slopes that would have to
    /// lie on the other side by chance (Kendall's rank correlation).
    let leastSlope: Double

    /// Makes the slope; `nil` if no group has two points at different places.
    init?(_ points: [(x: Double, y: Double, group: Int)]) {
        var slopes: [Double] = []
        var variance = 0.0
        for group in Dictionary(grouping: points, by: \.group).values {
            let count = Double(group.count)
            variance += count * (count - 1) * (2 * count + 5) / 18
            for (index, one) in group.enumerated() {
                for other in group[(index + 1)...] where other.x != one.x {
                    slopes.append((other.y - one.y) / (other.x - one.x))
                }
            }
        }
        guard !slopes.isEmpty else { return nil }
        slopes.sort()
        slope = slopes[slopes.count / 2]
        let rank = (Double(slopes.count) - 3 * variance.squareRoot()) / 2
        leastSlope = slopes[max(0, Int(rank))]
    }
}
