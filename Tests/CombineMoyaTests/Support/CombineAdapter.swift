#if CombineMoya
import AdapterContract
import Foundation
import Moya
import CombineMoya

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// CombineMoya, as the contract sees it.
struct CombineAdapter: CallAdapter {
    func response(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, callbackQueue: DispatchQueue?
    ) -> AnyStream<Response> {
        AnyStream(provider.requestPublisher(target, callbackQueue: callbackQueue))
    }

    func progress(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, callbackQueue: DispatchQueue?
    ) -> AnyStream<ProgressResponse> {
        AnyStream(provider.requestWithProgressPublisher(target, callbackQueue: callbackQueue))
    }
}

extension CombineAdapter: StreamAdapter {
    func stream(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, callbackQueue: DispatchQueue?
    ) -> AnyStream<StreamPart> {
        AnyStream(provider.streamPublisher(target, callbackQueue: callbackQueue))
    }

    func lines(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, callbackQueue: DispatchQueue?
    ) -> AnyStream<String> {
        AnyStream(provider.linesPublisher(of: target, callbackQueue: callbackQueue))
    }

    func jsonLines(of target: ContractTarget, from provider: MoyaProvider<ContractTarget>) -> AnyStream<Int> {
        AnyStream(provider.jsonLinesPublisher(of: target, as: Int.self))
    }

    func events(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, reconnecting: Reconnection?
    ) -> AnyStream<ServerSentEvent> {
        AnyStream(provider.eventsPublisher(of: target, reconnecting: reconnecting))
    }

    func numbers(of target: ContractTarget, from provider: MoyaProvider<ContractTarget>) -> AnyStream<Int> {
        AnyStream(provider.eventsPublisher(of: target, as: Int.self, until: "end"))
    }
}

extension AnyStream {
    /// A publisher, whose every value is requested at once.
    init<Failure: Error>(_ publisher: AnyPublisher<Value, Failure>) {
        self.init { observer in
            // A subscription may be cancelled from any thread; its type does not say so.
            nonisolated(unsafe) let subscription = publisher.sink(
                receiveCompletion: { completion in
                    switch completion {
                    case .finished: observer(.finished)
                    case .failure(let error as MoyaError): observer(.failed(error))
                    case .failure(let error): observer(.other("\(error)"))
                    }
                },
                receiveValue: { observer(.value($0)) })
            return { subscription.cancel() }
        }
    }
}
#endif
