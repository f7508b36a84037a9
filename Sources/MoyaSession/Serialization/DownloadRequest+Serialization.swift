public import Foundation
import MoyaTransport

extension DownloadRequest {
    /// Calls a handler on a queue with the value that a serializer makes from the downloaded file.
    ///
    /// The serializer also runs for a failed request, with its error.
    @discardableResult
    @preconcurrency
    public func response<Serializer: DownloadResponseSerializerProtocol>(
        queue: DispatchQueue = .main, responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (AFDownloadResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        addSerializingHandler(on: queue, using: responseSerializer, completionHandler)
        return self
    }

    /// Calls a handler on a queue with the downloaded file.
    @discardableResult
    @preconcurrency
    public func responseURL(
        queue: DispatchQueue = .main, completionHandler: @escaping @Sendable (AFDownloadResponse<URL>) -> Void
    ) -> Self {
        response(queue: queue, responseSerializer: URLResponseSerializer(), completionHandler: completionHandler)
    }

    /// Calls a handler on a queue with the result of `JSONSerialization` for the downloaded file.
    @available(*, deprecated, message: "Declare a Decodable type, and use responseDecodable(of:)")
    @discardableResult
    @preconcurrency
    public func responseJSON(
        queue: DispatchQueue = .main, dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponseCodes: Set<Int> = [204, 205], emptyRequestMethods: Set<HTTPMethod> = [.head],
        options: JSONSerialization.ReadingOptions = .allowFragments,
        completionHandler: @escaping @Sendable (AFDownloadResponse<Any>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: JSONResponseSerializer(
                dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods, options: options),
            completionHandler: { response in completionHandler(response.map { $0 as Any }) })
    }

    /// Calls a handler on a queue with the bytes of the downloaded file.
    @discardableResult
    @preconcurrency
    public func responseData(
        queue: DispatchQueue = .main,
        dataPreprocessor: any DataPreprocessor = DataResponseSerializer.defaultDataPreprocessor,
        emptyResponseCodes: Set<Int> = DataResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DataResponseSerializer.defaultEmptyRequestMethods,
        completionHandler: @escaping @Sendable (AFDownloadResponse<Data>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: DataResponseSerializer(
                dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            completionHandler: completionHandler)
    }

    /// Calls a handler on a queue with the text of the downloaded file.
    @discardableResult
    @preconcurrency
    public func responseString(
        queue: DispatchQueue = .main,
        dataPreprocessor: any DataPreprocessor = StringResponseSerializer.defaultDataPreprocessor,
        encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = StringResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = StringResponseSerializer.defaultEmptyRequestMethods,
        completionHandler: @escaping @Sendable (AFDownloadResponse<String>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: StringResponseSerializer(
                dataPreprocessor: dataPreprocessor, encoding: encoding, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            completionHandler: completionHandler)
    }

    /// Calls a handler on a queue with the value decoded from the downloaded file.
    @discardableResult
    @preconcurrency
    public func responseDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, queue: DispatchQueue = .main,
        dataPreprocessor: any DataPreprocessor = DecodableResponseSerializer<Value>.defaultDataPreprocessor,
        decoder: any DataDecoder = JSONDecoder.moyaDefault,
        emptyResponseCodes: Set<Int> = DecodableResponseSerializer<Value>.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DecodableResponseSerializer<Value>.defaultEmptyRequestMethods,
        completionHandler: @escaping @Sendable (AFDownloadResponse<Value>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: DecodableResponseSerializer<Value>(
                dataPreprocessor: dataPreprocessor, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            completionHandler: completionHandler)
    }

    /// Calls the handler on a queue, or on the serialization queue itself.
    fileprivate func addSerializingHandler<Serializer: DownloadResponseSerializerProtocol>(
        on queue: DispatchQueue?, using serializer: Serializer,
        _ handler: @escaping @Sendable (AFDownloadResponse<Serializer.SerializedObject>) -> Void
    ) {
        addSerializingHandler { request, outcome in
            let response = outcome.httpResponse
            let (seconds, result) = serialize {
                if serializer is any DataResponseSerializerProtocol { try request.checkFitsInMemory(outcome) }
                return try serializer.serializeDownload(
                    request: outcome.request, response: response, fileURL: outcome.fileURL, error: outcome.error)
            }
            let made = AFDownloadResponse(
                request: outcome.request, response: response, fileURL: outcome.fileURL,
                partial: (request as? DownloadRequest)?.partialDownload, metrics: outcome.metrics,
                trailers: outcome.trailers, serializationDuration: seconds, result: result)
            request.report(.didParseDownloadResponse(made.untyped))
            if let queue { queue.async { handler(made) } } else { handler(made) }
        }
    }
}

extension Request {
    /// Checks the length of a downloaded file that a serializer reads into memory.
    ///
    /// - Throws: ``SessionError/responseTooLarge(maximumBytes:)``
    fileprivate func checkFitsInMemory(_ outcome: RequestOutcome) throws(SessionError) {
        guard outcome.error == nil, let path = outcome.fileURL?.path, let file = try? RegularFile(at: path) else {
            return
        }
        let limit = mutableState.withLock { $0.rare?.maximumResponseBytes } ?? core.maximumResponseBytes
        guard file.length <= limit else { throw .responseTooLarge(maximumBytes: Int(clamping: limit)) }
    }
}

// MARK: Awaiting

extension DownloadRequest {
    /// Makes a task that awaits the value that a serializer makes from the downloaded file.
    ///
    /// - Parameters:
    ///   - serializer: Makes the value.
    ///   - shouldAutomaticallyCancel: `true` to cancel the request when the Swift task that awaits the value is
    ///     cancelled.
    public func serializingDownload<Serializer: DownloadResponseSerializerProtocol>(
        using serializer: Serializer, automaticallyCancelling shouldAutomaticallyCancel: Bool = true
    ) -> DownloadTask<Serializer.SerializedObject> {
        DownloadTask(self, cancelsAutomatically: shouldAutomaticallyCancel) { result in
            addSerializingHandler(on: nil, using: serializer) { result.set($0) }
        }
    }

    /// Makes a task that awaits the downloaded file.
    public func serializingDownloadedFileURL(
        automaticallyCancelling shouldAutomaticallyCancel: Bool = true
    ) -> DownloadTask<URL> {
        serializingDownload(using: URLResponseSerializer(), automaticallyCancelling: shouldAutomaticallyCancel)
    }

    /// Makes a task that awaits the bytes of the downloaded file.
    public func serializingData(
        automaticallyCancelling shouldAutomaticallyCancel: Bool = true,
        dataPreprocessor: any DataPreprocessor = DataResponseSerializer.defaultDataPreprocessor,
        emptyResponseCodes: Set<Int> = DataResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DataResponseSerializer.defaultEmptyRequestMethods
    ) -> DownloadTask<Data> {
        serializingDownload(
            using: DataResponseSerializer(
                dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            automaticallyCancelling: shouldAutomaticallyCancel)
    }

    /// Makes a task that awaits the text of the downloaded file.
    public func serializingString(
        automaticallyCancelling shouldAutomaticallyCancel: Bool = true,
        dataPreprocessor: any DataPreprocessor = StringResponseSerializer.defaultDataPreprocessor,
        encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = StringResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = StringResponseSerializer.defaultEmptyRequestMethods
    ) -> DownloadTask<String> {
        serializingDownload(
            using: StringResponseSerializer(
                dataPreprocessor: dataPreprocessor, encoding: encoding, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            automaticallyCancelling: shouldAutomaticallyCancel)
    }

    /// Makes a task that awaits the value decoded from the downloaded file.
    @preconcurrency
    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, automaticallyCancelling shouldAutomaticallyCancel: Bool = true,
        dataPreprocessor: any DataPreprocessor = DecodableResponseSerializer<Value>.defaultDataPreprocessor,
        decoder: any DataDecoder = JSONDecoder.moyaDefault,
        emptyResponseCodes: Set<Int> = DecodableResponseSerializer<Value>.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DecodableResponseSerializer<Value>.defaultEmptyRequestMethods
    ) -> DownloadTask<Value> {
        serializingDownload(
            using: DecodableResponseSerializer<Value>(
                dataPreprocessor: dataPreprocessor, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            automaticallyCancelling: shouldAutomaticallyCancel)
    }
}
