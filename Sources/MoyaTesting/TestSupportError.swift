public import Foundation

/// An error of the test support: a step of a ``LoopbackServer`` failed, or an awaited event did not occur in time.
public enum TestSupportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The connection was closed on this side: by the script, or because the server stopped.
    case closed
    /// The peer ended sending, although more was expected.
    case ended
    /// The peer broke the connection.
    case reset
    /// The received bytes are not an HTTP/1.1 request; the text says where.
    case malformedRequest(String)
    /// An awaited event did not occur in time; the text states the event and the current counts.
    case timedOut(String)
    /// A system call failed with an `errno`.
    case system(call: String, code: Int32)

    /// A description in one sentence.
    public var description: String {
        switch self {
        case .closed: "the connection is closed on the server's side"
        case .ended: "the client ended the connection before everything had arrived"
        case .reset: "the client broke the connection"
        case .malformedRequest(let reason): "the client sent no valid HTTP/1.1 request: \(reason)"
        case .timedOut(let event): "waited too long for \(event)"
        case .system(let call, let code): "\(call) failed: \(String(cString: strerror(code))) (errno \(code))"
        }
    }

    static func fromPeer(_ call: String, _ code: Int32) -> TestSupportError {
        switch code {
        case ECONNRESET, EPIPE, ETIMEDOUT, ENOTCONN: .reset
        default: .system(call: call, code: code)
        }
    }
}

extension TestSupportError: LocalizedError {
    /// The description.
    public var errorDescription: String? { description }
}
