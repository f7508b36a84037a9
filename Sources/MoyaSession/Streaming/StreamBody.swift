import Foundation
import MoyaTransport

/// Hands the body of an accepted response to the reader of a stream, and gathers the beginning of one that was refused,
/// for the error.
final class StreamBody: ResponseBody {
    /// The most bytes of a refused response that are kept.
    static let mostRefusedBytes = 1024 * 1024

    let stream: ResponseStream
    /// `true` if the response was accepted.
    private var isAccepted = false
    private var refused = Data()
    private(set) var demand = TransportDemand.more
    /// `true` if more of a refused response has come than is kept.
    private(set) var isCut = false

    init(_ stream: ResponseStream) { self.stream = stream }

    func begin(_ head: TransportResponseHead) -> Int64 { 0 }

    /// Has what comes from now on go to the reader.
    func accept() { isAccepted = true }

    /// - Throws: ``SessionError/explicitlyCancelled`` once what is kept of a refused response is there.
    func append(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        guard !isAccepted else { return demand = stream.append(bytes) }
        refused.append(contentsOf: bytes.prefix(Self.mostRefusedBytes - refused.count))
        guard refused.count < Self.mostRefusedBytes else {
            isCut = true
            throw .explicitlyCancelled
        }
    }

    func takeData() -> Data? { refused.isEmpty ? nil : refused }

    var isMoved: Bool { false }

    func move(head: TransportResponseHead, url: URL, in attempt: Attempt) {}

    func discard() {}
}
