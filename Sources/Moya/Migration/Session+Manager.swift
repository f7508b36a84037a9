public import MoyaSession

/// A session, as it was called up to Moya 7.
@available(*, deprecated, renamed: "Session")
public typealias Manager = Session

/// A session, as it was called from Moya 8 to 13.
@available(*, deprecated, renamed: "Session")
public typealias SessionManager = Session

extension Session {
    /// The session that starts its requests by itself, as it was called up to Moya 7.
    @available(*, deprecated, renamed: "default")
    public static var sharedInstance: Session { .default }

    /// The default header fields, in the form that `httpAdditionalHeaders` takes, as they were called up to Moya 13.
    @available(*, deprecated, message: "Write configuration.headers = .default")
    public static var defaultHTTPHeaders: [String: String] { HTTPHeaders.default.dictionary }
}
