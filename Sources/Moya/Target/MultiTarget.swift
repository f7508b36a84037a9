public import Foundation
public import MoyaSession

/// Any target, so that one provider can call targets of many types.
public enum MultiTarget: TargetType {
    /// The wrapped target.
    case target(any TargetType)

    /// Wraps a target.
    public init(_ target: any TargetType) { self = .target(target) }

    /// The wrapped target.
    public var target: any TargetType {
        switch self {
        case .target(let target): target
        }
    }

    /// The wrapped target's base URL.
    public var baseURL: URL { target.baseURL }
    /// The wrapped target's path.
    public var path: String { target.path }
    /// The wrapped target's method.
    public var method: Method { target.method }
    /// The wrapped target's sample data.
    public var sampleData: Data { target.sampleData }
    /// The wrapped target's task.
    public var task: RequestTask { target.task }
    /// The wrapped target's validation type.
    public var validationType: ValidationType { target.validationType }
    /// The wrapped target's header fields.
    public var headers: [String: String]? { target.headers }
    /// The wrapped target's deadlines.
    public var deadlines: Deadlines? { target.deadlines }
    /// The wrapped target's limit.
    public var maximumResponseBytes: Int? { target.maximumResponseBytes }
}
