#if CombineMoya
public import Foundation
import Moya
public import MoyaSession

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// A publisher of the parts of a streamed body, then of its end; failures are parts too.
///
/// The request starts when the subscriber first requests a value, and the body is read as values are requested: a
/// subscriber without demand slows the server down. Cancelling the subscription cancels the request.
///
/// A second subscriber receives what still arrives.
public struct DataStreamPublisher<Value: Sendable>: Publisher {
    /// A part of the body, or its end.
    public typealias Output = DataStreamRequest.Stream<Value, AFError>
    /// No failure: an error is that of a part, or of the end.
    public typealias Failure = Never

    private let source: CallSource<Output>

    /// Makes a publisher of the values that a serializer makes of the chunks.
    ///
    /// - Parameters:
    ///   - request: The request; the publisher retains it.
    ///   - queue: The queue of the parts.
    ///   - serializer: Makes the values.
    public init<Serializer: DataStreamSerializer>(
        _ request: DataStreamRequest, queue: DispatchQueue, serializer: Serializer
    ) where Serializer.SerializedObject == Value {
        self.init(request, queue: queue) { $0.streamingResponses(serializedUsing: serializer) }
    }

    init<Parts: AsyncSequence & Sendable>(
        _ request: DataStreamRequest, queue: DispatchQueue, parts: @escaping @Sendable (DataStreamTask) -> Parts
    ) where Parts.Element == Output {
        source = CallSource(on: queue) {
            let parts = parts(request.streamTask())
            request.resume()
            return parts
        } onCancel: {
            request.cancel()
        }
    }

    /// Publishes the result of each part.
    public func result() -> AnyPublisher<Result<Value, AFError>, Never> {
        compactMap { $0.result }.eraseToAnyPublisher()
    }

    /// Publishes the value of each part, and fails with the first error.
    public func value() -> AnyPublisher<Value, AFError> {
        values { stream in
            if let error = stream.completion?.error { throw error }
            return try stream.result?.get()
        }
        .compactMap { $0 }
        .eraseToAnyPublisher()
    }

    /// Subscribes to the parts.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        source.subscribe(subscriber) { _ in .finished }
    }
}

extension DataStreamRequest {
    /// Makes a publisher of the values that a serializer makes of the chunks, received on a queue.
    public func publishStream<Serializer: DataStreamSerializer>(
        using serializer: Serializer, on queue: DispatchQueue = .main
    ) -> DataStreamPublisher<Serializer.SerializedObject> {
        DataStreamPublisher(self, queue: queue, serializer: serializer)
    }

    /// Makes a publisher of the chunks, received on a queue.
    public func publishData(queue: DispatchQueue = .main) -> DataStreamPublisher<Data> {
        publishStream(using: PassthroughStreamSerializer(), on: queue)
    }

    /// Makes a publisher of the chunks as UTF-8 text, received on a queue.
    ///
    /// A character that two chunks share comes whole, with the second one.
    public func publishString(queue: DispatchQueue = .main) -> DataStreamPublisher<String> {
        DataStreamPublisher(self, queue: queue) { $0.streamingStrings().map { $0.failable } }
    }

    /// Makes a publisher of the values decoded from the chunks, each of which has to be a whole value.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - queue: The queue of the parts.
    ///   - decoder: Decodes a chunk.
    ///   - preprocessor: Changes a chunk before it is decoded.
    public func publishDecodable<T: Decodable & Sendable>(
        type: T.Type = T.self, queue: DispatchQueue = .main, decoder: any DataDecoder = JSONDecoder.moyaDefault,
        preprocessor: any DataPreprocessor = PassthroughPreprocessor()
    ) -> DataStreamPublisher<T> {
        publishStream(
            using: DecodableStreamSerializer<T>(decoder: decoder, dataPreprocessor: preprocessor), on: queue)
    }
}
#endif
