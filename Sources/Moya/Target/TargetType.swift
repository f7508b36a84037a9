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
    /// What is appended to the base URL; empty to call the base URL itself.
    var path: String { get }
    /// The HTTP method.
    var method: Method { get }
    /// What a stub answers with; empty by default.
    var sampleData: Data { get }
    /// What is sent and how it is received.
    var task: RequestTask { get }
    /// Which status codes are a success; all of them by default.
    var validationType: ValidationType { get }
    /// The header fields of the request.
    var headers: [String: String]? { get }
    /// How long its calls may take, where that is not what the provider says; `nil` by default.
    var deadlines: Deadlines? { get }
}

extension TargetType {
    /// `ValidationType.none`.
    public var validationType: ValidationType { .none }
    /// No bytes.
    public var sampleData: Data { Data() }
    /// `nil`: as the provider says.
    public var deadlines: Deadlines? { nil }
}

/// An HTTP method.
public typealias Method = HTTPMethod

extension Method {
    /// Whether a multipart form can be sent with the method: POST, PUT, PATCH and CONNECT.
    public var supportsMultipart: Bool {
        switch self {
        case .post, .put, .patch, .connect: true
        default: false
        }
    }
}
