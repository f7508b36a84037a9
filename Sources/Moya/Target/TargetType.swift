public import Foundation
public import MoyaSession

/// Says what each call of an API is; usually an enum with a case for each.
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
    /// The data that a stub answers with; empty by default.
    var sampleData: Data { get }
    /// The content of the request and the way its response is received.
    var task: RequestTask { get }
    /// The status codes of success; all of them by default.
    var validationType: ValidationType { get }
    /// The header fields of the request.
    var headers: [String: String]? { get }
    /// The time limits of its calls, where they differ from the provider's; `nil` by default.
    var deadlines: Deadlines? { get }
    /// The most bytes of a response, counted after decoding, where that is not what the session says; `nil` by default.
    ///
    /// Where it is not `nil`, it holds for downloads too. `Int.max` is no bound; less than 0 is 0, no byte.
    var maximumResponseBytes: Int? { get }
}

extension TargetType {
    /// `ValidationType.none`.
    public var validationType: ValidationType { .none }
    /// No bytes.
    public var sampleData: Data { Data() }
    /// `nil`: as the provider says.
    public var deadlines: Deadlines? { nil }
    /// `nil`: as the session says.
    public var maximumResponseBytes: Int? { nil }
}

/// An HTTP method.
public typealias Method = HTTPMethod

extension Method {
    /// `true` if a multipart form can be sent with the method: POST, PUT, PATCH and CONNECT.
    public var supportsMultipart: Bool {
        switch self {
        case .post, .put, .patch, .connect: true
        default: false
        }
    }
}
