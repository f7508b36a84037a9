#if RxMoya
import AdapterContract
import Foundation
import Moya
import RxMoya
import RxSwift

/// The operators of an observable.
struct ObservableOperators: OperatorAdapter {
    func filter(_ response: Response, statusCodes: some RangeExpression<Int>) -> AnyStream<Response> {
        AnyStream(one(response).filter(statusCodes: statusCodes))
    }

    func filter(_ response: Response, statusCode: Int) -> AnyStream<Response> {
        AnyStream(one(response).filter(statusCode: statusCode))
    }

    func filterSuccessfulStatusCodes(_ response: Response) -> AnyStream<Response> {
        AnyStream(one(response).filterSuccessfulStatusCodes())
    }

    func filterSuccessfulStatusAndRedirectCodes(_ response: Response) -> AnyStream<Response> {
        AnyStream(one(response).filterSuccessfulStatusAndRedirectCodes())
    }

    func mapImage(_ response: Response) -> AnyStream<Image> { AnyStream(one(response).mapImage()) }

    func mapJSON(_ response: Response) -> AnyStream<Any> { AnyStream(one(response).mapJSON()) }

    func mapJSON(_ response: Response, failsOnEmptyData: Bool) -> AnyStream<Any> {
        AnyStream(one(response).mapJSON(failsOnEmptyData: failsOnEmptyData))
    }

    func mapString(_ response: Response) -> AnyStream<String> { AnyStream(one(response).mapString()) }

    func mapString(_ response: Response, atKeyPath keyPath: String?) -> AnyStream<String> {
        AnyStream(one(response).mapString(atKeyPath: keyPath))
    }

    func map<D: Decodable>(_ response: Response, _ type: D.Type) -> AnyStream<D> {
        AnyStream(one(response).map(type))
    }

    func map<D: Decodable>(
        _ response: Response, _ type: D.Type, atKeyPath keyPath: String?, using decoder: JSONDecoder,
        failsOnEmptyData: Bool
    ) -> AnyStream<D> {
        AnyStream(
            one(response).map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData))
    }

    private func one(_ response: Response) -> Observable<Response> { .just(response) }
}
#endif
