public import MoyaSession

/// The name of a session up to Moya 13.
///
/// A type of that name in an app's own module takes precedence.
@available(*, deprecated, renamed: "Session")
public typealias Manager = Session

extension Session {
    /// The name of the default session, which starts its requests itself, up to Moya 7.
    @available(*, deprecated, renamed: "default")
    public static var sharedInstance: Session { .default }

    /// The default header fields in the form of `httpAdditionalHeaders`, under their name up to Moya 13.
    @available(*, deprecated, message: "Write configuration.headers = .default")
    public static var defaultHTTPHeaders: [String: String] { HTTPHeaders.default.dictionary }
}
