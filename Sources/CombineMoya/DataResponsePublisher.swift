#if CombineMoya
public import Foundation
import Moya
public import MoyaSession

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// A publisher of the response of a request; failures are responses too.
///
/// The request starts when the subscriber first requests a value. Cancelling the subscription cancels the request.
public struct DataResponsePublisher<Value: Sendable>: Publisher {
    /// The response.
    public typealias Output = AFDataResponse<Value>
    /// No failure: an error is that of a response.
    public typealias Failure = Never

    private let source: CallSource<Output>

    /// Makes a publisher of the value that a serializer makes from the response.
    ///
    /// - Parameters:
    ///   - request: The request; the publisher retains it.
    ///   - queue: The queue of the response.
    ///   - serializer: Makes the value.
    public init<Serializer: DataResponseSerializerProtocol>(
        _ request: DataRequest, queue: DispatchQueue, serializer: Serializer
    ) where Serializer.SerializedObject == Value {
        source = CallSource(request) { request, receive in
            request.response(queue: queue, responseSerializer: serializer, completionHandler: receive)
        }
    }

    /// Makes a publisher of the body as it arrived.
    ///
    /// - Parameters:
    ///   - request: The request; the publisher retains it.
    ///   - queue: The queue of the response.
    public init(_ request: DataRequest, queue: DispatchQueue) where Value == Data? {
        source = CallSource(request) { $0.response(queue: queue, completionHandler: $1) }
    }

    /// Publishes the result of the response.
    public func result() -> AnyPublisher<Result<Value, AFError>, Never> { map { $0.result }.eraseToAnyPublisher() }

    /// Publishes the value of the response, or fails with its error.
    public func value() -> AnyPublisher<Value, AFError> { values { try $0.result.get() } }

    /// Subscribes to the response.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        source.subscribe(subscriber) { _ in .finished }
    }
}

extension DataRequest {
    /// Makes a publisher of the value that a serializer makes from the response, received on a queue.
    public func publishResponse<Serializer: DataResponseSerializerProtocol>(
        using serializer: Serializer, on queue: DispatchQueue = .main
    ) -> DataResponsePublisher<Serializer.SerializedObject> {
        DataResponsePublisher(self, queue: queue, serializer: serializer)
    }

    /// Makes a publisher of the body, received on a queue.
    public func publishData(
        queue: DispatchQueue = .main,
        preprocessor: any DataPreprocessor = DataResponseSerializer.defaultDataPreprocessor,
        emptyResponseCodes: Set<Int> = DataResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DataResponseSerializer.defaultEmptyRequestMethods
    ) -> DataResponsePublisher<Data> {
        publishResponse(
            using: DataResponseSerializer(
                dataPreprocessor: preprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            on: queue)
    }

    /// Makes a publisher of the text of the response, received on a queue.
    public func publishString(
        queue: DispatchQueue = .main,
        preprocessor: any DataPreprocessor = StringResponseSerializer.defaultDataPreprocessor,
        encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = StringResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = StringResponseSerializer.defaultEmptyRequestMethods
    ) -> DataResponsePublisher<String> {
        publishResponse(
            using: StringResponseSerializer(
                dataPreprocessor: preprocessor, encoding: encoding, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            on: queue)
    }

    /// Makes a publisher of the value decoded from the response, received on a queue.
    public func publishDecodable<T: Decodable & Sendable>(
        type: T.Type = T.self, queue: DispatchQueue = .main,
        preprocessor: any DataPreprocessor = DecodableResponseSerializer<T>.defaultDataPreprocessor,
        decoder: any DataDecoder = JSONDecoder.moyaDefault,
        emptyResponseCodes: Set<Int> = DecodableResponseSerializer<T>.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DecodableResponseSerializer<T>.defaultEmptyRequestMethods
    ) -> DataResponsePublisher<T> {
        publishResponse(
            using: DecodableResponseSerializer<T>(
                dataPreprocessor: preprocessor, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            on: queue)
    }

    /// Makes a publisher of the value decoded from the response, with another label for the methods.
    public func publishDecodable<T: Decodable & Sendable>(
        type: T.Type = T.self, queue: DispatchQueue = .main,
        preprocessor: any DataPreprocessor = DecodableResponseSerializer<T>.defaultDataPreprocessor,
        decoder: any DataDecoder = JSONDecoder.moyaDefault,
        emptyResponseCodes: Set<Int> = DecodableResponseSerializer<T>.defaultEmptyResponseCodes,
        emptyResponseMethods: Set<HTTPMethod>
    ) -> DataResponsePublisher<T> {
        publishDecodable(
            type: type, queue: queue, preprocessor: preprocessor, decoder: decoder,
            emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyResponseMethods)
    }

    /// Makes a publisher of the body as it arrived, received on a queue.
    public func publishUnserialized(queue: DispatchQueue = .main) -> DataResponsePublisher<Data?> {
        DataResponsePublisher(self, queue: queue)
    }
}
#endif
