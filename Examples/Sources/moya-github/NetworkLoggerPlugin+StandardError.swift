import Moya

extension NetworkLoggerPlugin {
    /// Everything that goes out and comes back, on standard error; secrets are masked.
    static var toStandardError: NetworkLoggerPlugin {
        NetworkLoggerPlugin(
            configuration: Configuration(
                output: { _, items in
                    for item in items { Terminal.writeError(item) }
                },
                logOptions: .verbose))
    }
}
