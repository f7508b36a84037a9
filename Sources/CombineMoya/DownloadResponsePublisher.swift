#if CombineMoya
public import Foundation
import Moya
public import MoyaSession

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// A publisher of the response of a download; failures are responses too.
///
/// The request starts when the subscriber first requests a value. Cancelling the subscription cancels the request.
public struct DownloadResponsePublisher<Value: Sendable>: Publisher {
    /// The response.
    public typealias Output = AFDownloadResponse<Value>
    /// No failure: an error is that of a response.
    public typealias Failure = Never

    private let source: CallSource<Output>

    /// Makes a publisher of the value that a serializer makes from the downloaded file.
    ///
    /// - Parameters:
    ///   - request: The request; the publisher retains it.
    ///   - queue: The queue of the response.
    ///   - serializer: Makes the value.
    public init<Serializer: DownloadResponseSerializerProtocol>(
        _ request: DownloadRequest, queue: DispatchQueue, serializer: Serializer
    ) where Serializer.SerializedObject == Value {
        source = CallSource(request) { request, receive in
            request.response(queue: queue, responseSerializer: serializer, completionHandler: receive)
        }
    }

    /// Makes a publisher of the downloaded file.
    ///
    /// - Parameters:
    ///   - request: The request; the publisher retains it.
    ///   - queue: The queue of the response.
    public init(_ request: DownloadRequest, queue: DispatchQueue) where Value == URL? {
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

extension DownloadRequest {
    /// Makes a publisher of the value that a serializer makes from the downloaded file, received on a queue.
    public func publishResponse<Serializer: DownloadResponseSerializerProtocol>(
        using serializer: Serializer, on queue: DispatchQueue = .main
    ) -> DownloadResponsePublisher<Serializer.SerializedObject> {
        DownloadResponsePublisher(self, queue: queue, serializer: serializer)
    }

    /// Makes a publisher of the downloaded file, received on a queue.
    public func publishURL(queue: DispatchQueue = .main) -> DownloadResponsePublisher<URL> {
        publishResponse(using: URLResponseSerializer(), on: queue)
    }

    /// Makes a publisher of the bytes of the downloaded file, received on a queue.
    public func publishData(
        queue: DispatchQueue = .main,
        preprocessor: any DataPreprocessor = DataResponseSerializer.defaultDataPreprocessor,
        emptyResponseCodes: Set<Int> = DataResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DataResponseSerializer.defaultEmptyRequestMethods
    ) -> DownloadResponsePublisher<Data> {
        publishResponse(
            using: DataResponseSerializer(
                dataPreprocessor: preprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            on: queue)
    }

    /// Makes a publisher of the text of the downloaded file, received on a queue.
    public func publishString(
        queue: DispatchQueue = .main,
        preprocessor: any DataPreprocessor = StringResponseSerializer.defaultDataPreprocessor,
        encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = StringResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = StringResponseSerializer.defaultEmptyRequestMethods
    ) -> DownloadResponsePublisher<String> {
        publishResponse(
            using: StringResponseSerializer(
                dataPreprocessor: preprocessor, encoding: encoding, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            on: queue)
    }

    /// Makes a publisher of the value decoded from the downloaded file, received on a queue.
    public func publishDecodable<T: Decodable & Sendable>(
        type: T.Type = T.self, queue: DispatchQueue = .main,
        preprocessor: any DataPreprocessor = DecodableResponseSerializer<T>.defaultDataPreprocessor,
        decoder: any DataDecoder = JSONDecoder.moyaDefault,
        emptyResponseCodes: Set<Int> = DecodableResponseSerializer<T>.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DecodableResponseSerializer<T>.defaultEmptyRequestMethods
    ) -> DownloadResponsePublisher<T> {
        publishResponse(
            using: DecodableResponseSerializer<T>(
                dataPreprocessor: preprocessor, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            on: queue)
    }

    /// Makes a publisher of the value decoded from the downloaded file, with another label for the methods.
    public func publishDecodable<T: Decodable & Sendable>(
        type: T.Type = T.self, queue: DispatchQueue = .main,
        preprocessor: any DataPreprocessor = DecodableResponseSerializer<T>.defaultDataPreprocessor,
        decoder: any DataDecoder = JSONDecoder.moyaDefault,
        emptyResponseCodes: Set<Int> = DecodableResponseSerializer<T>.defaultEmptyResponseCodes,
        emptyResponseMethods: Set<HTTPMethod>
    ) -> DownloadResponsePublisher<T> {
        publishDecodable(
            type: type, queue: queue, preprocessor: preprocessor, decoder: decoder,
            emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyResponseMethods)
    }

    /// Makes a publisher of the downloaded file as it is, received on a queue.
    public func publishUnserialized(queue: DispatchQueue = .main) -> DownloadResponsePublisher<URL?> {
        DownloadResponsePublisher(self, queue: queue)
    }
}
#endif
