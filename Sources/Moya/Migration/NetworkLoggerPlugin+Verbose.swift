public import Foundation

extension NetworkLoggerPlugin {
    /// Prints items like `print`; the type of a logger's output up to Moya 13.
    public typealias PrintingOutput = @Sendable (_ separator: String, _ terminator: String, _ items: Any...) -> Void

    /// Makes a logger as up to Moya 13.
    ///
    /// - Parameters:
    ///   - verbose: `true` to log bodies in addition to header fields.
    ///   - cURL: `true` to log requests as curl command lines.
    ///   - output: Prints the entries; by default the standard output.
    ///   - requestDataFormatter: Formats the body of a request as text.
    ///   - responseDataFormatter: Changes the body of a response before it is logged.
    @available(*, deprecated, message: "Write NetworkLoggerPlugin(configuration: .init(logOptions: .verbose))")
    @preconcurrency
    public convenience init(
        verbose: Bool, cURL: Bool = false, output: PrintingOutput? = nil,
        requestDataFormatter: (@Sendable (Data) -> String)? = nil,
        responseDataFormatter: (@Sendable (Data) -> Data)? = nil
    ) {
        var formatter = Configuration.Formatter()
        if let requestDataFormatter { formatter.requestData = requestDataFormatter }
        if let responseDataFormatter {
            formatter.responseData = { data in
                Configuration.Formatter.defaultDataFormatter(responseDataFormatter(data))
            }
        }
        var options: Configuration.LogOptions = verbose ? .verbose : .default
        if cURL { options.insert(.formatRequestAscURL) }
        var configuration = Configuration(formatter: formatter, logOptions: options)
        if let output {
            configuration.output = { _, items in
                for item in items { output(" ", "\n", item) }
            }
        }
        self.init(configuration: configuration)
    }

    /// Makes a logger of curl command lines, as up to Moya 13.
    ///
    /// - Parameters:
    ///   - cURL: `true` to log requests as curl command lines.
    ///   - output: Prints the entries; by default the standard output.
    @available(
        *, deprecated, message: "Write NetworkLoggerPlugin(configuration: .init(logOptions: .formatRequestAscURL))"
    )
    @preconcurrency
    public convenience init(cURL: Bool, output: PrintingOutput? = nil) {
        self.init(verbose: false, cURL: cURL, output: output)
    }
}
