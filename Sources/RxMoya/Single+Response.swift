#if RxMoya
public import Foundation
public import Moya
public import RxSwift

/// Operators on the responses of a single; an error of any of these is a `MoyaError`.
extension PrimitiveSequence where Trait == SingleTrait, Element == Response {
    /// Passes responses whose status code is in the range, and fails otherwise.
    public func filter<R: RangeExpression>(statusCodes: R) -> Single<Response> where R.Bound == Int {
        map { try $0.filter(statusCodes: statusCodes) }
    }

    /// Passes responses with the status code, and fails otherwise.
    public func filter(statusCode: Int) -> Single<Response> { map { try $0.filter(statusCode: statusCode) } }

    /// Passes responses with a status code from 200 to 299, and fails otherwise.
    public func filterSuccessfulStatusCodes() -> Single<Response> { map { try $0.filterSuccessfulStatusCodes() } }

    /// Passes responses with a status code from 200 to 399, and fails otherwise.
    public func filterSuccessfulStatusAndRedirectCodes() -> Single<Response> {
        map { try $0.filterSuccessfulStatusAndRedirectCodes() }
    }

    /// The body as an image; see `Response.mapImage()`.
    public func mapImage() -> Single<Image> { map { try $0.mapImage() } }

    /// The body as JSON; see `Response.mapJSON(failsOnEmptyData:)`.
    public func mapJSON(failsOnEmptyData: Bool = true) -> Single<Any> {
        map { try $0.mapJSON(failsOnEmptyData: failsOnEmptyData) }
    }

    /// The body as text, or the string at a key path; see `Response.mapString(atKeyPath:)`.
    public func mapString(atKeyPath keyPath: String? = nil) -> Single<String> {
        map { try $0.mapString(atKeyPath: keyPath) }
    }

    /// The body, or the value at its key path, decoded; see `Response.map(_:atKeyPath:using:failsOnEmptyData:)`.
    public func map<D: Decodable>(
        _ type: D.Type, atKeyPath keyPath: String? = nil, using decoder: JSONDecoder = .moyaDefault,
        failsOnEmptyData: Bool = true
    ) -> Single<D> {
        map { try $0.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData) }
    }
}
#endif
