import MoyaSession

/// The status codes of success; any other ends the call with an error that carries the response.
public enum ValidationType: Sendable, Hashable {
    /// Every status code.
    case none
    /// 200 to 299.
    case successCodes
    /// 200 to 399.
    case successAndRedirectCodes
    /// Exactly these; every status code when there are none.
    case customCodes([Int])

    /// The codes that are a success; none when every code is.
    package var statusCodes: [Int] { acceptableStatusCodes?.codes ?? [] }

    /// The codes that are a success; `nil` when every code is.
    var acceptableStatusCodes: StatusCodes? {
        switch self {
        case .none: nil
        case .successCodes: .range(200..<300)
        case .successAndRedirectCodes: .range(200..<400)
        case .customCodes(let codes): codes.isEmpty ? nil : .list(codes)
        }
    }
}
