public import Foundation
import MoyaSession

extension NetworkLoggerPlugin {
    /// The content, the format and the destination of a logger's entries.
    public struct Configuration: Sendable {
        /// Receives the entries of one event.
        @preconcurrency
        public typealias OutputType = @Sendable (_ target: any TargetType, _ items: [String]) -> Void
        /// Returns whether the value of a header field, query item, JSON key or form field with that name is a secret.
        public typealias SecretPredicate = @Sendable (_ name: String) -> Bool

        /// Formats the entries.
        public var formatter: Formatter
        /// The destination of the entries; the standard output by default.
        @preconcurrency public var output: OutputType
        /// The parts of a call that are logged.
        public var logOptions: LogOptions
        /// Selects the values to mask.
        public var isSecret: SecretPredicate
        /// `false` to log nothing: no entry is formatted, and nothing is masked.
        public var isEnabled = true

        /// Makes a configuration.
        @preconcurrency
        public init(
            formatter: Formatter = Formatter(),
            output: @escaping OutputType = defaultOutput,
            logOptions: LogOptions = .default,
            isSecret: @escaping SecretPredicate = Configuration.looksLikeSecret
        ) {
            self.formatter = formatter
            self.output = output
            self.logOptions = logOptions
            self.isSecret = isSecret
        }

        /// Prints each entry on a separate line.
        @Sendable public static func defaultOutput(target: any TargetType, items: [String]) {
            for item in items { print(item) }
        }

        /// `true` if a name usually denotes a secret: a credential, a token, a password, a key, a session.
        ///
        /// It compares the words of a name, such as `X-Api-Key`, `clientSecret` or `user[pin]`, so `keyboard` and
        /// `author` are shown.
        public static func looksLikeSecret(_ name: String) -> Bool { SecretNames.contains(name) }

        /// The parts of a call that a logger logs.
        public struct LogOptions: OptionSet, Sendable {
            /// The bits.
            public let rawValue: Int

            /// Makes options from bits.
            public init(rawValue: Int) { self.rawValue = rawValue }

            /// The method of a request.
            public static let requestMethod = LogOptions(rawValue: 1 << 0)
            /// The body of a request.
            public static let requestBody = LogOptions(rawValue: 1 << 1)
            /// The header fields of a request.
            public static let requestHeaders = LogOptions(rawValue: 1 << 2)
            /// The request as a curl command line, instead of the options above.
            public static let formatRequestAscURL = LogOptions(rawValue: 1 << 3)
            /// The body of every response.
            public static let successResponseBody = LogOptions(rawValue: 1 << 4)
            /// The body of a response whose call ends with an error before the plugins run; a 404 counts only with a
            /// `validationType`.
            public static let errorResponseBody = LogOptions(rawValue: 1 << 5)

            /// Method and header fields.
            public static let `default`: LogOptions = [requestMethod, requestHeaders]
            /// Everything except the command line.
            public static let verbose: LogOptions = [
                requestMethod, requestHeaders, requestBody, successResponseBody, errorResponseBody,
            ]
        }

        /// The closures that format entries.
        public struct Formatter: Sendable {
            /// Formats a body as text.
            @preconcurrency
            public typealias DataFormatterType = @Sendable (Data) -> (String)
            /// Formats an entry from its name and its text.
            @preconcurrency
            public typealias EntryFormatterType =
                @Sendable (_ identifier: String, _ message: String, _ target: any TargetType) -> String

            /// Formats an entry from its name and its text.
            @preconcurrency public var entry: EntryFormatterType
            /// Formats the body of a request as text.
            @preconcurrency public var requestData: DataFormatterType
            /// Formats the body of a response as text.
            @preconcurrency public var responseData: DataFormatterType

            /// Makes a formatter.
            @preconcurrency
            public init(
                entry: @escaping EntryFormatterType = defaultEntryFormatter,
                requestData: @escaping DataFormatterType = defaultDataFormatter,
                responseData: @escaping DataFormatterType = defaultDataFormatter
            ) {
                self.entry = entry
                self.requestData = requestData
                self.responseData = responseData
            }

            /// Returns the bytes as UTF-8, or a message if they are invalid.
            public static func defaultDataFormatter(_ data: Data) -> String {
                String(data: data, encoding: .utf8) ?? "## Cannot map data to String ##"
            }

            /// `Moya_Logger: [<date>] <identifier>: <message>`, with a short date and time of the current locale.
            public static func defaultEntryFormatter(
                identifier: String, message: String, target: any TargetType
            ) -> String {
                let date = LogDate.text
                var entry = ""
                // A message may be a whole body, which is copied only once this way.
                entry.reserveCapacity(18 + date.utf8.count + identifier.utf8.count + message.utf8.count)
                entry += "Moya_Logger: ["
                entry += date
                entry += "] "
                entry += identifier
                entry += ": "
                entry += message
                return entry
            }
        }
    }
}
