#if ReactiveMoya
public import Foundation
public import Moya
public import ReactiveSwift

/// Operators on the responses of a producer.
extension SignalProducerProtocol where Value == Response, Error == MoyaError {
    /// Passes responses whose status code is in the range, and fails otherwise.
    public func filter<R: RangeExpression>(statusCodes: R) -> SignalProducer<Response, MoyaError> where R.Bound == Int {
        each { try $0.filter(statusCodes: statusCodes) }
    }

    /// Passes responses with the status code, and fails otherwise.
    public func filter(statusCode: Int) -> SignalProducer<Response, MoyaError> {
        each { try $0.filter(statusCode: statusCode) }
    }

    /// Passes responses with a status code from 200 to 299, and fails otherwise.
    public func filterSuccessfulStatusCodes() -> SignalProducer<Response, MoyaError> {
        each { try $0.filterSuccessfulStatusCodes() }
    }

    /// Passes responses with a status code from 200 to 399, and fails otherwise.
    public func filterSuccessfulStatusAndRedirectCodes() -> SignalProducer<Response, MoyaError> {
        each { try $0.filterSuccessfulStatusAndRedirectCodes() }
    }

    /// The body as an image; see `Response.mapImage()`.
    public func mapImage() -> SignalProducer<Image, MoyaError> { each { try $0.mapImage() } }

    /// The body as JSON; see `Response.mapJSON(failsOnEmptyData:)`.
    public func mapJSON(failsOnEmptyData: Bool = true) -> SignalProducer<Any, MoyaError> {
        each { try $0.mapJSON(failsOnEmptyData: failsOnEmptyData) }
    }

    /// The body as text, or the string at a key path; see `Response.mapString(atKeyPath:)`.
    public func mapString(atKeyPath keyPath: String? = nil) -> SignalProducer<String, MoyaError> {
        each { try $0.mapString(atKeyPath: keyPath) }
    }

    /// The body, or the value at its key path, decoded; see `Response.map(_:atKeyPath:using:failsOnEmptyData:)`.
    public func map<D: Decodable>(
        _ type: D.Type, atKeyPath keyPath: String? = nil, using decoder: JSONDecoder = .moyaDefault,
        failsOnEmptyData: Bool = true
    ) -> SignalProducer<D, MoyaError> {
        each { try $0.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData) }
    }

    private func each<Output>(_ step: @escaping (Response) throws -> Output) -> SignalProducer<Output, MoyaError> {
        producer.attemptMap { response in
            Result { try step(response) }.mapError { ($0 as? MoyaError) ?? .underlying($0, nil) }
        }
    }
}
#endif
