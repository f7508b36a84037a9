import MoyaTransport

/// A header field: a name, compared ignoring case, and a value.
public struct HTTPHeader: Hashable, Sendable {
    /// The name, sent in this spelling.
    public let name: String
    /// The value.
    public let value: String

    /// Makes a field; it is checked when the request is validated.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

extension HTTPHeader: MaskedDescription {
    /// The field line, `Name: value`, with secrets masked.
    public var description: String { "\(name): \(SecretMask.standard.value(value, ofField: name))" }
}

extension HTTPHeader {
    /// `Accept` (RFC 9110 section 12.5.1).
    public static func accept(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept", value: value) }

    /// `Accept-Charset` (RFC 9110 section 12.5.2).
    public static func acceptCharset(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept-Charset", value: value) }

    /// `Accept-Language` (RFC 9110 section 12.5.4).
    public static func acceptLanguage(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Accept-Language", value: value)
    }

    /// `Accept-Encoding` (RFC 9110 section 12.5.3).
    public static func acceptEncoding(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Accept-Encoding", value: value)
    }

    /// `Authorization` for the Basic scheme (RFC 7617), in UTF-8.
    ///
    /// The user name must contain no colon: the server treats the text after the first colon as the password.
    public static func authorization(username: String, password: String) -> HTTPHeader {
        authorization(BasicAuthentication.authorization(user: username, password: password))
    }

    /// `Authorization` for the Bearer scheme (RFC 6750).
    public static func authorization(bearerToken: String) -> HTTPHeader { authorization("Bearer \(bearerToken)") }

    /// `Authorization` (RFC 9110 section 11.6.2).
    public static func authorization(_ value: String) -> HTTPHeader { HTTPHeader(name: "Authorization", value: value) }

    /// `Content-Disposition` (RFC 6266).
    public static func contentDisposition(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Content-Disposition", value: value)
    }

    /// `Content-Encoding` (RFC 9110 section 8.4).
    public static func contentEncoding(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Content-Encoding", value: value)
    }

    /// `Content-Type` (RFC 9110 section 8.3).
    public static func contentType(_ value: String) -> HTTPHeader { HTTPHeader(name: "Content-Type", value: value) }

    /// `User-Agent` (RFC 9110 section 10.1.5).
    public static func userAgent(_ value: String) -> HTTPHeader { HTTPHeader(name: "User-Agent", value: value) }
}
