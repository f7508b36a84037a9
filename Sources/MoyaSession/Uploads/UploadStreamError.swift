public import Foundation
import MoyaTransport

/// An error of the body of an ``UploadStream``, inside ``SessionError/createUploadableFailed(error:)``.
public enum UploadStreamError: Error, Sendable, Hashable {
    /// The sequence was already read, by an earlier attempt or another request.
    case wasRead
    /// The server redirects the request with its body, which was already read.
    case redirected(to: String)
    /// The sequence ended before the stated length.
    case endedEarly(sent: Int64, length: Int64)
    /// The sequence continued beyond the stated length.
    case exceedsLength(Int64)
    /// The stated length is negative.
    case negativeLength(Int64)
}

extension UploadStreamError: LocalizedError, CustomStringConvertible {
    /// The reason and the remedy, without bytes of the body.
    public var description: String {
        switch self {
        case .wasRead:
            "The sequence of the body was read before, by an earlier attempt or another request, and yields its elements once. "
                + "Make the body of a closure, which makes the sequence for each attempt."
        case .redirected(let url):
            "The server redirects the request with its body to \(SecretMask.standard.url(url)), and the sequence of the body was "
                + "read. Send to that URL, or make the body of a closure, which makes the sequence anew."
        case .endedEarly(let sent, let length):
            "The sequence of the body ended after \(sent) of \(length) bytes. State the length that it has, or none."
        case .exceedsLength(let length):
            "The sequence of the body continued after its \(length) bytes. State the length that it has, or none."
        case .negativeLength(let length): "The length of the body is \(length). State one of 0 or more, or none."
        }
    }

    /// The description.
    public var errorDescription: String? { description }
}

// `dump` would print the URL of a redirect.
extension UploadStreamError: OpaqueReflection {}
