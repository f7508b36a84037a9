import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The body of one exchange in the form that `URLSession` accepts; confined to the transport's queue.
final class UploadBody {
    /// The total number of bytes; `nil` if unknown.
    let length: Int64?
    /// The owner of the body, which outlives it.
    private unowned(unsafe) let exchange: URLSessionExchange
    private var source: Source
    #if canImport(Darwin)
    private var pump: BodyPump?
    #else
    private var buffer: BodyBuffer?
    #endif

    private enum Source {
        case none
        case data(Data)
        case stored(StoredBodyReader)
        case reader(any TransportBodyReader)
    }

    init(_ body: TransportBody, of exchange: URLSessionExchange) throws(TransportFailure) {
        if let problem = body.lengthProblem { throw .requestBody(problem) }
        self.exchange = exchange
        length = body.length
        switch body {
        case .none: source = .none
        case .data(let data): source = .data(data)
        case .file(let url, let length): source = .stored(try .opening(url, length: length))
        case .stream(let reader, _): source = .reader(reader)
        }
        // A task without a body has nothing to send.
        if length == 0 { source = .none }
    }

    /// Calls back when a task can be made, or with the reason for a failure: at once, or later on the transport's
    /// queue.
    func prepare(_ whenReady: @escaping (TransportFailure?) -> Void) {
        #if canImport(Darwin)
        whenReady(nil)
        #else
        switch source {
        case .none, .stored:
            whenReady(nil)
        case .data(let data):
            source = .stored(StoredBodyReader(data))
            whenReady(nil)
        case .reader(let reader):
            let buffer = BodyBuffer(reader, length: length, exchange: exchange)
            self.buffer = buffer
            buffer.gather { [weak self] result in
                guard let self else { return }
                self.buffer = nil
                switch result {
                case .success(let stored):
                    source = stored.length == 0 ? .none : .stored(stored)
                    whenReady(nil)
                case .failure(let failure): whenReady(failure)
                }
            }
        }
        #endif
    }

    /// Makes the task without resuming it.
    func task(for request: URLRequest, in session: URLSession) -> URLSessionTask {
        switch source {
        case .none:
            return session.dataTask(with: request)
        case .data(let data):
            // An upload task would add the fields of a resumable upload, since iOS 17 and macOS 14.
            var request = request
            request.httpBody = data
            return session.dataTask(with: request)
        case .stored(let reader):
            return streamedTask(for: request, length: reader.length, in: session)
        case .reader:
            return streamedTask(for: request, length: length, in: session)
        }
    }

    /// Makes a task that requests a stream, also whenever it has to send the body again.
    private func streamedTask(for request: URLRequest, length: Int64?, in session: URLSession) -> URLSessionTask {
        var request = request
        if let length {
            request.setValue("\(length)", forHTTPHeaderField: "Content-Length")
            #if !canImport(Darwin)
            // A blank value makes libcurl omit a field: otherwise it would send chunks despite the length.
            request.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
            #endif
        }
        #if !canImport(Darwin)
        // Otherwise libcurl would wait a second for a 100 that few servers send.
        if request.value(forHTTPHeaderField: "Expect") == nil { request.setValue(" ", forHTTPHeaderField: "Expect") }
        #endif
        let task = session.uploadTask(withStreamedRequest: request)
        #if !canImport(Darwin)
        if case .stored(let reader) = source {
            let exchange = exchange
            exchange.wire.registerStream(of: task) {
                guard reader.rewind() else { return nil }
                return StoredBodyStream(reader) { failure in
                    exchange.wire.queue.async { exchange.end(failure) }
                }
            }
        }
        #endif
        return task
    }

    #if canImport(Darwin)
    /// The body as a stream from its first byte; `nil` if it cannot be read again.
    func newStream() -> InputStream? {
        let reader: any TransportBodyReader
        switch source {
        case .none, .data: return nil
        case .stored(let stored): reader = stored
        case .reader(let given): reader = given
        }
        if let pump {
            pump.close()
            guard reader.rewind() else { return nil }
        }
        let (pump, stream) = BodyPump.make(reader, length: length, exchange: exchange)
        self.pump = pump
        return stream
    }

    /// Sends nothing more; the body must be retained until `URLSession` has released the task, and closed then.
    func stop() {
        pump?.stop()
        source = .none
    }
    #endif

    func close() {
        #if canImport(Darwin)
        pump?.close()
        pump = nil
        #else
        buffer?.close()
        buffer = nil
        #endif
        source = .none
    }
}
