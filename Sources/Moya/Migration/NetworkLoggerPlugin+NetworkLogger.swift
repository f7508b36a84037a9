/// The logger under its name in older guides.
@available(*, deprecated, renamed: "NetworkLoggerPlugin")
public typealias NetworkLogger = NetworkLoggerPlugin
