public import Foundation
public import MoyaSession

/// Any target, so that one provider can call targets of many types.
public enum MultiTarget: TargetType {
    /// The target that is called.
    case target(any TargetType)

    /// Wraps a target.
    public init(_ target: any TargetType) { self = .target(target) }

    /// The target that is called.
    public var target: any TargetType {
        switch self {
        case .target(let target): target
        }
    }

    /// The target's own.
    public var baseURL: URL { target.baseURL }
    /// The target's own.
    public var path: String { target.path }
    /// The target's own.
    public var method: Method { target.method }
    /// The target's own.
    public var sampleData: Data { target.sampleData }
    /// The target's own.
    public var task: RequestTask { target.task }
    /// The target's own.
    public var validationType: ValidationType { target.validationType }
    /// The target's own.
    public var headers: [String: String]? { target.headers }
    /// The target's own.
    public var deadlines: Deadlines? { target.deadlines }
    /// The target's own.
    public var maximumResponseBytes: Int? { target.maximumResponseBytes }
}
