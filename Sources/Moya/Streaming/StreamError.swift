public import Foundation

/// An error of a streamed response, inside `MoyaError.underlying`.
public enum StreamError: Error, Sendable, Hashable {
    /// The sequence was iterated before: its bytes come once.
    case alreadyIterated
    /// A line, an event or an element is longer than the bound, in bytes.
    case elementTooLong(limit: Int)
    /// The response is no stream of events: its `Content-Type` is not `text/event-stream` (WHATWG HTML section 9.2.3).
    case unacceptableContentType(String?)
    /// The body is no JSON array, with the offset of the byte that is wrong.
    case malformedArray(offset: Int)
    /// The body or the record ended within an element, of which this is the text (RFC 7464 section 2.3).
    case truncatedElement(String)

    /// `true` if elements follow.
    var isOfOneElement: Bool { if case .truncatedElement = self { true } else { false } }
}

extension StreamError: LocalizedError, CustomStringConvertible {
    /// The reason, and what to do about it; no byte of the body.
    public var description: String {
        switch self {
        case .alreadyIterated: "The sequence was iterated before; make a call for each iteration."
        case .elementTooLong(let limit): "An element of the stream is longer than \(limit) bytes; allow more, or fewer."
        case .unacceptableContentType(let type):
            "The Content-Type is \(type.map { "\"\($0)\"" } ?? "missing"), not \"text/event-stream\"."
        case .malformedArray(let offset): "The body is no JSON array: byte \(offset) is unexpected."
        case .truncatedElement(let text): "The body ended within an element, after \(text.utf8.count) bytes of it."
        }
    }

    /// The description.
    public var errorDescription: String? { description }
}
