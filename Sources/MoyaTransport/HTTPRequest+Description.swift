import Foundation

extension HTTPField: MaskedDescription {
    /// The field line, with secrets masked.
    public var description: String { "\(name): \(SecretMask.standard.value(value, ofField: name))" }
}

extension TransportBody: MaskedDescription {
    /// The kind of the body and its length in bytes.
    public var description: String {
        switch self {
        case .none: "no body"
        case .data(let data): "\(data.count) bytes"
        case .file(let url, let length): "\(length) bytes of \(SecretMask.standard.url(url.absoluteString))"
        case .stream(_, let length): "a stream of \(length.map { "\($0)" } ?? "unknown") bytes"
        }
    }
}

extension HTTPRequest: MaskedDescription {
    /// The request line, the fields and the kind of the body, with secrets masked.
    public var description: String {
        (["\(method) \(SecretMask.standard.url(url))"] + fields.map(\.description) + ["\(body)"])
            .joined(separator: "\n")
    }
}

extension TransportResponseHead: MaskedDescription {
    /// The status line and the fields, with secrets masked.
    public var description: String {
        (["\(version) \(status)"] + fields.map(\.description)).joined(separator: "\n")
    }
}

extension TransportEvent: MaskedDescription {
    /// The kind of the event, with secrets masked and without bytes of a body.
    public var description: String {
        switch self {
        case .informational(let head): "informational(\(head))"
        case .head(let head): "head(\(head))"
        case .chunk(let bytes): "chunk(\(bytes.count) bytes)"
        case .sent(let bytes, let expected): "sent(\(bytes) of \(expected.map { "\($0)" } ?? "unknown") bytes)"
        case .end(let end): "end(\(end.failure.map { "\($0)" } ?? "whole"))"
        }
    }
}
