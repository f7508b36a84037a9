import MoyaSession

/// The status codes of success; any other ends the call with an error that carries the response.
public enum ValidationType: Sendable, Hashable {
    /// Every status code.
    case none
    /// 200 to 299.
    case successCodes
    /// 200 to 399.
    case successAndRedirectCodes
    /// Exactly these; every status code if the array is empty.
    case customCodes([Int])

    /// The successful codes; empty if every code is successful.
    package var statusCodes: [Int] { acceptableStatusCodes?.codes ?? [] }

    /// The successful codes; `nil` if every code is successful.
    var acceptableStatusCodes: StatusCodes? {
        switch self {
        case .none: nil
        case .successCodes: .range(200..<300)
        case .successAndRedirectCodes: .range(200..<400)
        case .customCodes(let codes): codes.isEmpty ? nil : .list(codes)
        }
    }

    /// The codes of responses whose body is streamed; `nil` for those that a stream accepts by default, 200 to 299.
    var streamedStatusCodes: StatusCodes? { self == .customCodes([]) ? .all : acceptableStatusCodes }
}
