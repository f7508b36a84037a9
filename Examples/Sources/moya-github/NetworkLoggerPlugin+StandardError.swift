import Moya

extension NetworkLoggerPlugin {
    /// Logs all requests and responses on standard error, with secrets masked.
    static var toStandardError: NetworkLoggerPlugin {
        NetworkLoggerPlugin(
            configuration: Configuration(
                output: { _, items in
                    for item in items { Terminal.writeError(item) }
                },
                logOptions: .verbose))
    }
}
