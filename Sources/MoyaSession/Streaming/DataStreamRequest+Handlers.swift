public import Foundation
import MoyaTransport

extension DataStreamRequest {
    /// Calls a closure on a queue with each chunk of the body, and with the end.
    ///
    /// The calls are serial and in order, on any queue.
    @discardableResult
    @preconcurrency
    public func responseStream(on queue: DispatchQueue = .main, stream handler: @escaping Handler<Data, Never>) -> Self
    {
        receive(.data, on: queue, handler)
    }

    /// Calls a closure on a queue with the value that a serializer makes of each chunk, and with the end.
    @discardableResult
    @preconcurrency
    public func responseStream<Serializer: DataStreamSerializer>(
        using serializer: Serializer, on queue: DispatchQueue = .main,
        stream handler: @escaping Handler<Serializer.SerializedObject, SessionError>
    ) -> Self {
        receive(ChunkSerializer(serializer), on: queue, handler)
    }

    /// Calls a closure on a queue with each chunk as UTF-8 text, and with the end.
    ///
    /// A character that two chunks share comes whole, with the second one.
    @discardableResult
    @preconcurrency
    public func responseStreamString(
        on queue: DispatchQueue = .main, stream handler: @escaping Handler<String, Never>
    ) -> Self {
        receive(.text(), on: queue, handler)
    }

    /// Calls a closure on a queue with the value decoded from each chunk, and with the end.
    ///
    /// Each chunk has to be a whole value. Where the server sends a value a line, read
    /// ``DataRequest/stream()`` or a provider's lines.
    @discardableResult
    @preconcurrency
    public func responseStreamDecodable<T: Decodable & Sendable>(
        of type: T.Type = T.self, on queue: DispatchQueue = .main,
        using decoder: any DataDecoder = JSONDecoder.moyaDefault,
        preprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        stream handler: @escaping Handler<T, SessionError>
    ) -> Self {
        responseStream(
            using: DecodableStreamSerializer<T>(decoder: decoder, dataPreprocessor: preprocessor), on: queue,
            stream: handler)
    }

    /// Makes an input stream of the body, which is not here.
    @available(
        *, unavailable,
        message: "There is no such stream here: read the body with for try await chunk in try await request.stream()"
    )
    public func asInputStream(bufferSize: Int = 1024) -> InputStream? { nil }

    /// `true` if parts that wait for their closure are not passed to it, since the caller has cancelled the request.
    private var dropsParts: Bool { isCancelled && !hasFailedPart.value }

    private func receive<Success, Failure>(
        _ serializer: ChunkSerializer<Success, Failure>, on queue: DispatchQueue,
        _ handler: @escaping Handler<Success, Failure>
    ) -> Self {
        // Serial, though the caller's queue may be concurrent.
        let queue = DispatchQueue(inOrderOn: queue)
        receive(serializer) { [weak self] stream, release in
            queue.async { [weak self] in
                defer { release() }
                if stream.completion == nil, self?.dropsParts ?? true { return }
                do {
                    try handler(stream)
                } catch {
                    self?.end(with: SessionError(ofStream: error))
                }
            }
        }
        return self
    }

    /// Makes values of the chunks and passes them on, one at a time, then the end.
    func receive<Success, Failure>(
        _ serializer: ChunkSerializer<Success, Failure>,
        _ take: @escaping @Sendable (Stream<Success, Failure>, _ release: @escaping @Sendable () -> Void) -> Void
    ) {
        let queue = DispatchQueue(inOrderOn: serializationQueue)
        let token = CancellationToken(self)
        // A time limit can end the request on another thread, while the transport's is about to pass a chunk.
        let isOver = Lock(false)
        delivery.add { chunk, request, release in
            queue.async {
                guard !isOver.value, !request.isCancelled, let result = serializer.value(chunk) else {
                    return release()
                }
                take(Stream(event: .stream(result), token: token), release)
                guard request.automaticallyCancelOnStreamError, case .failure(let error) = result else { return }
                request.hasFailedPart.set(true)
                request.end(with: SessionError(ofStream: error))
            }
        }
        addHandler { request, outcome in
            let delivery = (request as? DataStreamRequest)?.delivery
            delivery?.removeAll()
            let response = delivery?.response ?? 0
            queue.async {
                isOver.set(true)
                if !request.isCancelled, let rest = serializer.rest(response) {
                    // A closure's queue drops the parts of a request that was released.
                    take(Stream(event: .stream(rest), token: token)) { withExtendedLifetime(request) {} }
                }
                take(Stream(event: .complete(Completion(outcome)), token: token)) {}
            }
        }
    }
}

extension SessionError {
    /// The error of a request that its serializer or its closure has ended.
    fileprivate init(ofStream error: any Error) {
        self =
            (error as? SessionError) ?? .responseSerializationFailed(reason: .customSerializationFailed(error: error))
    }
}
