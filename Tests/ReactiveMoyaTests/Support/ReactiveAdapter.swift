#if ReactiveMoya
import AdapterContract
import Foundation
import Moya
import MoyaTransport
import ReactiveMoya
@preconcurrency import ReactiveSwift

/// ReactiveMoya, as the contract sees it.
struct ReactiveAdapter: CallAdapter {
    func response(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, callbackQueue: DispatchQueue?
    ) -> AnyStream<Response> {
        AnyStream(provider.reactive.request(target, callbackQueue: callbackQueue))
    }

    func progress(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, callbackQueue: DispatchQueue?
    ) -> AnyStream<ProgressResponse> {
        AnyStream(provider.reactive.requestWithProgress(target, callbackQueue: callbackQueue))
    }
}

extension ReactiveAdapter: StreamAdapter {
    func stream(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, callbackQueue: DispatchQueue?
    ) -> AnyStream<StreamPart> {
        AnyStream(provider.reactive.stream(target, callbackQueue: callbackQueue))
    }

    func lines(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, callbackQueue: DispatchQueue?
    ) -> AnyStream<String> {
        AnyStream(provider.reactive.lines(of: target, callbackQueue: callbackQueue))
    }

    func jsonLines(of target: ContractTarget, from provider: MoyaProvider<ContractTarget>) -> AnyStream<Int> {
        AnyStream(provider.reactive.jsonLines(of: target, as: Int.self))
    }

    func events(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, reconnecting: Reconnection?
    ) -> AnyStream<ServerSentEvent> {
        AnyStream(provider.reactive.events(of: target, reconnecting: reconnecting))
    }

    func numbers(of target: ContractTarget, from provider: MoyaProvider<ContractTarget>) -> AnyStream<Int> {
        AnyStream(provider.reactive.events(of: target, as: Int.self, until: "end"))
    }
}

extension AnyStream {
    /// A producer; an interruption is reported unless it comes from the disposal.
    init<Failure>(_ producer: SignalProducer<Value, Failure>) {
        self.init { observer in
            let isDisposed = Lock(false)
            let disposable = producer.start { event in
                switch event {
                case .value(let value): observer(.value(value))
                case .completed: observer(.finished)
                case .failed(let error as MoyaError): observer(.failed(error))
                case .failed(let error): observer(.other("\(error)"))
                case .interrupted: if !isDisposed.value { observer(.other("interrupted")) }
                }
            }
            return {
                isDisposed.set(true)
                disposable.dispose()
            }
        }
    }
}
#endif
