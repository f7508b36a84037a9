public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A request whose response goes to a file.
public final class DownloadRequest: Request, @unchecked Sendable {
    /// What is done on the way to the destination.
    public typealias Options = DownloadOptions

    /// Says where the temporary file is to be moved; runs on the session's root queue once the body is whole.
    public typealias Destination = DownloadDestination

    /// A check of a response of the user's own; an error fails the request.
    public typealias Validation = @Sendable (URLRequest?, HTTPURLResponse, URL?) -> ValidationResult

    private let destination: Destination?

    /// Touched by the transport's events alone, and by what follows their end.
    private var file: TemporaryFile?

    init(
        core: SessionCore, convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)?,
        destination: Destination?
    ) {
        self.destination = destination
        super.init(core: core, convertible: convertible, interceptor: interceptor)
    }

    /// Where the body is, once it is whole and in its place.
    public var fileURL: URL? { guarded.withLock { $0.fileURL } }

    override var concludesWithUserCode: Bool { destination != nil }

    override func beginReceiving() { file = nil }

    override func receive(head: TransportResponseHead) throws(SessionError) { file = try TemporaryFile.make() }

    override func receive(bytes: UnsafeRawBufferPointer) throws(SessionError) { try file?.write(bytes) }

    override func discardReceived() { file = nil }

    override func deliverBody(head: TransportResponseHead, url: URL) throws(SessionError) {
        guard let file else { return }
        self.file = nil
        file.close()
        guard let destination, let response = HTTPURLResponse(head: head, url: url) else {
            file.keep()
            guarded.withLock { $0.fileURL = file.url }
            return
        }
        let (target, options) = destination(file.url, response)
        do {
            try Self.move(file.url, to: target, options)
        } catch {
            throw .downloadedFileMoveFailed(error: error, source: file.url, destination: target)
        }
        file.keep()
        guarded.withLock { $0.fileURL = target }
    }

    private static func move(_ source: URL, to target: URL, _ options: Options) throws {
        let files = FileManager.default
        if options.contains(.removePreviousFile), files.fileExists(atPath: target.path) {
            try files.removeItem(at: target)
        }
        if options.contains(.createIntermediateDirectories) {
            try files.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        }
        try files.moveItem(at: source, to: target)
    }

    /// Checks each response with a closure, after those added before; skipped once one has failed.
    ///
    /// The closure runs on the session's root queue.
    @discardableResult
    @preconcurrency
    public func validate(_ validation: @escaping Validation) -> Self {
        addValidator(
            .custom { input in
                guard let response = input.response else { return .success(()) }
                return validation(input.request, response, input.fileURL)
            })
        return self
    }

    /// Calls a handler on a queue once the request is over, and starts the request when its session starts requests
    /// by itself.
    @discardableResult
    @preconcurrency
    public func response(
        queue: DispatchQueue = .main, completionHandler: @escaping @Sendable (AFDownloadResponse<URL?>) -> Void
    ) -> Self {
        addResponseHandler(on: queue) { outcome in
            completionHandler(
                AFDownloadResponse(
                    request: outcome.request, response: outcome.httpResponse, fileURL: outcome.fileURL,
                    metrics: outcome.metrics,
                    result: outcome.error.map { .failure($0) } ?? .success(outcome.fileURL)))
        }
        return self
    }
}

/// Says where a downloaded file is to be moved, and what may be done on the way.
public typealias DownloadDestination =
    @Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> (destinationURL: URL, options: DownloadOptions)
