/// The straight line nearest to some points by least squares, and how sure its slope is.
struct LinearFit {
    let slope: Double
    /// One standard error of the slope, from how far the points lie off the line.
    let slopeError: Double
    /// How far a point lies off the line, in the root of the mean of squares.
    let scatter: Double

    /// `nil` for fewer than three points, or points at one place.
    init?(_ points: [(x: Double, y: Double)]) {
        let count = Double(points.count)
        guard points.count > 2 else { return nil }
        let meanX = points.reduce(0) { $0 + $1.x } / count
        let meanY = points.reduce(0) { $0 + $1.y } / count
        let spread = points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
        guard spread > 0 else { return nil }
        let slope = points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) } / spread
        let squares = points.reduce(0) { sum, point in
            let off = point.y - meanY - slope * (point.x - meanX)
            return sum + off * off
        }
        self.slope = slope
        scatter = (squares / count).squareRoot()
        slopeError = (squares / (count - 2) / spread).squareRoot()
    }
}
