#if RxMoya
import AdapterContract
import Foundation
import Moya
import RxMoya
@preconcurrency import RxSwift

/// RxMoya, as the contract sees it.
struct RxAdapter: CallAdapter {
    func response(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, callbackQueue: DispatchQueue?
    ) -> AnyStream<Response> {
        AnyStream(provider.rx.request(target, callbackQueue: callbackQueue))
    }

    func progress(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, callbackQueue: DispatchQueue?
    ) -> AnyStream<ProgressResponse> {
        AnyStream(provider.rx.requestWithProgress(target, callbackQueue: callbackQueue))
    }
}

extension RxAdapter: StreamAdapter {
    func stream(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, callbackQueue: DispatchQueue?
    ) -> AnyStream<StreamPart> {
        AnyStream(provider.rx.stream(target, callbackQueue: callbackQueue))
    }

    func lines(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, callbackQueue: DispatchQueue?
    ) -> AnyStream<String> {
        AnyStream(provider.rx.lines(of: target, callbackQueue: callbackQueue))
    }

    func jsonLines(of target: ContractTarget, from provider: MoyaProvider<ContractTarget>) -> AnyStream<Int> {
        AnyStream(provider.rx.jsonLines(of: target, as: Int.self))
    }

    func events(
        of target: ContractTarget, from provider: MoyaProvider<ContractTarget>, reconnecting: Reconnection?
    ) -> AnyStream<ServerSentEvent> {
        AnyStream(provider.rx.events(of: target, reconnecting: reconnecting))
    }

    func numbers(of target: ContractTarget, from provider: MoyaProvider<ContractTarget>) -> AnyStream<Int> {
        AnyStream(provider.rx.events(of: target, as: Int.self, until: "end"))
    }
}

extension AnyStream {
    /// An observable or a single.
    init<Source: ObservableConvertibleType>(_ source: Source) where Source.Element == Value {
        let observable = source.asObservable()
        self.init { observer in
            let disposable = observable.subscribe { event in
                switch event {
                case .next(let value): observer(.value(value))
                case .completed: observer(.finished)
                case .error(let error as MoyaError): observer(.failed(error))
                case .error(let error): observer(.other("\(error)"))
                }
            }
            return { disposable.dispose() }
        }
    }
}
#endif
