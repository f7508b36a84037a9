import Foundation
import MoyaTransport

/// Passes the body of an accepted response to the reader of a stream, and collects the beginning of a refused one for
/// the error.
final class StreamBody: ResponseBody {
    let stream: ResponseStream
    /// `true` if the response was accepted.
    private var isAccepted = false
    private var refused = Data()
    private(set) var demand = TransportDemand.more
    /// `true` if a refused response is longer than the kept part.
    private(set) var isCut = false

    init(_ stream: ResponseStream) { self.stream = stream }

    func receive(_ head: TransportResponseHead) -> Int64 { 0 }

    /// Passes all following bytes to the reader.
    func accept() { isAccepted = true }

    /// - Throws: ``SessionError/explicitlyCancelled`` for a refused response that is longer than the kept part.
    func append(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        guard !isAccepted else { return demand = stream.append(bytes) }
        let room = DataRequest.mostRefusedBytes - refused.count
        refused.append(contentsOf: bytes.prefix(room))
        guard bytes.count <= room else {
            isCut = true
            throw .explicitlyCancelled
        }
    }

    func takeData() -> Data? { refused.isEmpty ? nil : refused }
}

extension DataRequest {
    /// The maximum number of bytes kept of a refused response of a stream.
    package static let mostRefusedBytes = 1024 * 1024
}
