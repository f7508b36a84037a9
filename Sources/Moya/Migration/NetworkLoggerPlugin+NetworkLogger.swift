/// The logger, as older guides call it.
@available(*, deprecated, renamed: "NetworkLoggerPlugin")
public typealias NetworkLogger = NetworkLoggerPlugin
