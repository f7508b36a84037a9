public import Foundation
import MoyaTransport

/// An error of a streamed response, inside `MoyaError.underlying`.
public enum ResponseStreamError: Error, Sendable, Hashable {
    /// The sequence was already iterated, and its bytes are available only once.
    case alreadyIterated
    /// A line, an event or an element is longer than the limit, in bytes.
    case elementTooLong(limit: Int)
    /// The response is not an event stream: its `Content-Type` is not `text/event-stream` (WHATWG HTML section 9.2.3).
    case unacceptableContentType(String?)
    /// The body is not a JSON array; the offset is that of the wrong byte.
    case malformedArray(offset: Int)
    /// The body or the record ended within an element, with its incomplete text (RFC 7464 section 2.3).
    case truncatedElement(String)

    /// `true` if further elements may follow.
    var isOfOneElement: Bool { if case .truncatedElement = self { true } else { false } }
}

extension ResponseStreamError: LocalizedError, CustomStringConvertible {
    /// The reason and the remedy, without bytes of the body.
    public var description: String {
        switch self {
        case .alreadyIterated: "The sequence was iterated before; make a call for each iteration."
        case .elementTooLong(let limit): "An element of the stream is longer than \(limit) bytes; raise that limit."
        case .unacceptableContentType(let type):
            "The Content-Type is \(type.map { "\"\(SecretMask.standard.text($0))\"" } ?? "missing"), not \"text/event-stream\"."
        case .malformedArray(let offset): "The body is no JSON array: byte \(offset) is unexpected."
        case .truncatedElement(let text): "The body ended within an element, after \(text.utf8.count) bytes of it."
        }
    }

    /// The description.
    public var errorDescription: String? { description }
}
