/// A set of status codes, without an array where a range will do.
package enum StatusCodes: Sendable {
    case range(Range<Int>)
    case list([Int])

    /// The codes one by one.
    package var codes: [Int] {
        switch self {
        case .range(let range): Array(range)
        case .list(let list): list
        }
    }

    /// `true` if the code is among them.
    package func contains(_ code: Int) -> Bool {
        switch self {
        case .range(let range): range.contains(code)
        case .list(let list): list.contains(code)
        }
    }
}
