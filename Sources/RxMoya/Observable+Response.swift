#if RxMoya
public import Foundation
public import Moya
public import RxSwift

/// Operators on the responses of an observable; an error of any of these is a `MoyaError`.
extension ObservableType where Element == Response {
    /// Passes responses whose status code is in the range, and fails otherwise.
    public func filter<R: RangeExpression>(statusCodes: R) -> Observable<Response> where R.Bound == Int {
        map { try $0.filter(statusCodes: statusCodes) }
    }

    /// Passes responses with the status code, and fails otherwise.
    public func filter(statusCode: Int) -> Observable<Response> { map { try $0.filter(statusCode: statusCode) } }

    /// Passes responses with a status code from 200 to 299, and fails otherwise.
    public func filterSuccessfulStatusCodes() -> Observable<Response> { map { try $0.filterSuccessfulStatusCodes() } }

    /// Passes responses with a status code from 200 to 399, and fails otherwise.
    public func filterSuccessfulStatusAndRedirectCodes() -> Observable<Response> {
        map { try $0.filterSuccessfulStatusAndRedirectCodes() }
    }

    /// The body as an image; see `Response.mapImage()`.
    public func mapImage() -> Observable<Image> { map { try $0.mapImage() } }

    /// The body as JSON; see `Response.mapJSON(failsOnEmptyData:)`.
    public func mapJSON(failsOnEmptyData: Bool = true) -> Observable<Any> {
        map { try $0.mapJSON(failsOnEmptyData: failsOnEmptyData) }
    }

    /// The body as text, or the string at a key path; see `Response.mapString(atKeyPath:)`.
    public func mapString(atKeyPath keyPath: String? = nil) -> Observable<String> {
        map { try $0.mapString(atKeyPath: keyPath) }
    }

    /// The body, or the value at its key path, decoded; see `Response.map(_:atKeyPath:using:failsOnEmptyData:)`.
    public func map<D: Decodable>(
        _ type: D.Type, atKeyPath keyPath: String? = nil, using decoder: JSONDecoder = .moyaDefault,
        failsOnEmptyData: Bool = true
    ) -> Observable<D> {
        map { try $0.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData) }
    }
}
#endif
