/// A set of status codes, which needs no array for a range.
package enum StatusCodes: Sendable {
    /// Every code.
    case all
    case range(Range<Int>)
    case list([Int])

    /// The codes as an array; empty for every code.
    package var codes: [Int] {
        switch self {
        case .all: []
        case .range(let range): Array(range)
        case .list(let list): list
        }
    }

    /// `true` if the set contains the code.
    package func contains(_ code: Int) -> Bool {
        switch self {
        case .all: true
        case .range(let range): range.contains(code)
        case .list(let list): list.contains(code)
        }
    }
}
