public import Foundation
public import MoyaSession

/// Describes each call of an API; usually an enum with a case for each call.
///
///     enum GitHub {
///         case zen
///         case user(String)
///     }
///
///     extension GitHub: TargetType {
///         var baseURL: URL { URL(string: "https://api.github.com")! }
///         var path: String {
///             switch self {
///             case .zen: "/zen"
///             case .user(let name): "/users/\(name)"
///             }
///         }
///         var method: Moya.Method { .get }
///         var task: RequestTask { .requestPlain }
///         var headers: [String: String]? { nil }
///     }
@preconcurrency
public protocol TargetType: Sendable {
    /// The URL that the path is appended to.
    var baseURL: URL { get }
    /// The path appended to the base URL; empty to call the base URL itself.
    var path: String { get }
    /// The HTTP method.
    var method: Method { get }
    /// The response body of a stub; empty by default.
    var sampleData: Data { get }
    /// The content of the request and the way its response is received.
    var task: RequestTask { get }
    /// The status codes of success; every code by default.
    var validationType: ValidationType { get }
    /// The header fields of the request.
    var headers: [String: String]? { get }
    /// The time limits of its calls that override the provider's; `nil` by default.
    var deadlines: Deadlines? { get }
    /// The maximum number of response bytes, after decoding, which overrides the session's; `nil` by default.
    ///
    /// A value also applies to downloads. `Int.max` is no limit; negative values count as 0.
    var maximumResponseBytes: Int? { get }
}

extension TargetType {
    /// `ValidationType.none`.
    public var validationType: ValidationType { .none }
    /// No bytes.
    public var sampleData: Data { Data() }
    /// `nil`: the provider's limits.
    public var deadlines: Deadlines? { nil }
    /// `nil`: the session's limit.
    public var maximumResponseBytes: Int? { nil }
}

/// An HTTP method.
public typealias Method = HTTPMethod

extension Method {
    /// `true` for the methods of multipart forms: POST, PUT, PATCH and, as in Moya 15, CONNECT.
    ///
    /// A session refuses CONNECT with every task.
    public var supportsMultipart: Bool {
        switch self {
        case .post, .put, .patch, .connect: true
        default: false
        }
    }
}
