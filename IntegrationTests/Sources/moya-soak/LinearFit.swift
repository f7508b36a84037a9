/// The slope that points of several groups have in common, by least squares, and how sure it is.
///
/// Each group has a level of its own, and only how points of the same group lie to each other counts. So a thread more is a
/// step, and no growth: Dispatch keeps up to 1,024 work items for each thread, some 80 KiB.
struct LinearFit {
    let slope: Double
    /// One standard error of the slope, from how far the points lie off their lines.
    let slopeError: Double
    /// What the slope is at least, with three standard errors to spare.
    var leastSlope: Double { slope - 3 * slopeError }
    /// How far a point lies off its line, in the root of the mean of squares.
    let scatter: Double

    /// `nil` where no group has points enough at different places.
    init?(_ points: [(x: Double, y: Double, group: Int)]) {
        let groups = Dictionary(grouping: points, by: \.group).values
        let freedom = points.count - groups.count - 1
        guard freedom > 0 else { return nil }
        let centred = groups.flatMap { group in
            let count = Double(group.count)
            let meanX = group.reduce(0) { $0 + $1.x } / count
            let meanY = group.reduce(0) { $0 + $1.y } / count
            return group.map { (x: $0.x - meanX, y: $0.y - meanY) }
        }
        let spread = centred.reduce(0) { $0 + $1.x * $1.x }
        guard spread > 0 else { return nil }
        let slope = centred.reduce(0) { $0 + $1.x * $1.y } / spread
        let squares = centred.reduce(0) { sum, point in
            let off = point.y - slope * point.x
            return sum + off * off
        }
        self.slope = slope
        scatter = (squares / Double(points.count)).squareRoot()
        slopeError = (squares / Double(freedom) / spread).squareRoot()
    }
}
