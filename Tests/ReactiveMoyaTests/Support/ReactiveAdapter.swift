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
                isDisposed.value = true
                disposable.dispose()
            }
        }
    }
}
#endif
