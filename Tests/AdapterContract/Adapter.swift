package import Foundation
package import Moya

/// The events of a stream: the three kinds that the contract knows, and any other.
package enum StreamEvent<Value> {
    case value(Value)
    case finished
    case failed(MoyaError)
    /// An end that no call should bring, described.
    case other(String)
}

extension StreamEvent: Sendable where Value: Sendable {}

/// A stream of any adapter.
package struct AnyStream<Value> {
    package typealias Disposal = @Sendable () -> Void

    private let subscription: (@escaping (StreamEvent<Value>) -> Void) -> Disposal

    /// Makes a stream; the closure subscribes, and returns a closure that disposes of the subscription.
    package init(_ subscription: @escaping (@escaping (StreamEvent<Value>) -> Void) -> Disposal) {
        self.subscription = subscription
    }

    /// Subscribes.
    package func subscribe(_ observer: @escaping (StreamEvent<Value>) -> Void) -> Disposal { subscription(observer) }
}

/// The calls of an adapter.
package protocol CallAdapter: Sendable {
    func response(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, callbackQueue: DispatchQueue?
    ) -> AnyStream<Response>

    func progress(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, callbackQueue: DispatchQueue?
    ) -> AnyStream<ProgressResponse>
}

/// The streamed responses of an adapter.
package protocol StreamAdapter: Sendable {
    func stream(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, callbackQueue: DispatchQueue?
    ) -> AnyStream<StreamPart>

    func lines(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, callbackQueue: DispatchQueue?
    ) -> AnyStream<String>

    func jsonLines(of target: ContractTarget, from provider: MoyaProvider<ContractTarget>) -> AnyStream<Int>

    func events(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, reconnecting: Reconnection?
    ) -> AnyStream<ServerSentEvent>

    /// Events with numbers as data, until the one with the data `end`.
    func numbers(of target: ContractTarget, from provider: MoyaProvider<ContractTarget>) -> AnyStream<Int>
}

/// The operators of an adapter on a stream of one response: all of them, or it does not compile.
package protocol OperatorAdapter: Sendable {
    func filter(_ response: Response, statusCodes: some RangeExpression<Int>) -> AnyStream<Response>
    func filter(_ response: Response, statusCode: Int) -> AnyStream<Response>
    func filterSuccessfulStatusCodes(_ response: Response) -> AnyStream<Response>
    func filterSuccessfulStatusAndRedirectCodes(_ response: Response) -> AnyStream<Response>
    func mapImage(_ response: Response) -> AnyStream<Image>
    func mapJSON(_ response: Response) -> AnyStream<Any>
    func mapJSON(_ response: Response, failsOnEmptyData: Bool) -> AnyStream<Any>
    func mapString(_ response: Response) -> AnyStream<String>
    func mapString(_ response: Response, atKeyPath keyPath: String?) -> AnyStream<String>
    func map<D: Decodable>(_ response: Response, _ type: D.Type) -> AnyStream<D>
    func map<D: Decodable>(
        _ response: Response, _ type: D.Type, atKeyPath keyPath: String?, using decoder: JSONDecoder,
        failsOnEmptyData: Bool
    ) -> AnyStream<D>
}

/// A target whose every property can be set.
package struct ContractTarget: TargetType {
    package var baseURL: URL
    package var path: String
    package var task: RequestTask
    package var sampleData = Data("sample".utf8)
    package var method: Moya.Method { .get }
    package var headers: [String: String]? { nil }

    package init(
        _ baseURL: URL? = nil, path: String = "", task: RequestTask = .requestPlain
    ) {
        self.baseURL = baseURL ?? URL(fileURLWithPath: "/unused")
        self.path = path
        self.task = task
    }
}

/// A broken clause of the contract.
package struct Violation: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Throws a ``Violation`` unless the two are equal.
package func require<Value: Equatable>(_ value: Value, is expected: Value, _ what: String) throws {
    guard value == expected else { throw Violation("\(what): \(value) instead of \(expected)") }
}
