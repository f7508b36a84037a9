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
