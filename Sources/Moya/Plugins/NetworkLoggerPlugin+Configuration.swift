public import Foundation
import MoyaSession

extension NetworkLoggerPlugin {
    /// The content, the format and the destination of a logger's entries.
    public struct Configuration: Sendable {
        /// Takes the entries of one event.
        public typealias OutputType = @Sendable (_ target: any TargetType, _ items: [String]) -> Void
        /// Says whether the value of a header field, query item, JSON key or form field of that name is a secret.
        public typealias SecretPredicate = @Sendable (_ name: String) -> Bool

        /// Formats the entries.
        public var formatter: Formatter
        /// The destination of the entries; the standard output by default.
        @preconcurrency public var output: OutputType
        /// The parts of a call that are logged.
        public var logOptions: LogOptions
        /// Selects the values to mask.
        public var isSecret: SecretPredicate

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
        public static func defaultOutput(target: any TargetType, items: [String]) {
            for item in items { print(item) }
        }

        /// `true` if a name is usually that of a secret: a credential, a token, a password, a key, a session.
        ///
        /// It goes by the words of a name, `X-Api-Key`, `clientSecret`, `user[pin]`, so that `keyboard` and `author` are shown.
        public static func looksLikeSecret(_ name: String) -> Bool { SecretNames.contains(name) }

        /// The parts of a call that a logger writes.
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
            /// The request as a command line of curl, instead of all of the above.
            public static let formatRequestAscURL = LogOptions(rawValue: 1 << 3)
            /// The body of every response.
            public static let successResponseBody = LogOptions(rawValue: 1 << 4)
            /// The body of a response that came with an error.
            public static let errorResponseBody = LogOptions(rawValue: 1 << 5)

            /// Method and header fields.
            public static let `default`: LogOptions = [requestMethod, requestHeaders]
            /// Everything but the command line.
            public static let verbose: LogOptions = [
                requestMethod, requestHeaders, requestBody, successResponseBody, errorResponseBody,
            ]
        }

        /// The closures that format entries.
        public struct Formatter: Sendable {
            /// Makes text of a body.
            public typealias DataFormatterType = @Sendable (Data) -> (String)
            /// Makes an entry of its name and its text.
            public typealias EntryFormatterType =
                @Sendable (_ identifier: String, _ message: String, _ target: any TargetType) -> String

            /// Makes an entry of its name and its text.
            @preconcurrency public var entry: EntryFormatterType
            /// Makes text of the body of a request.
            @preconcurrency public var requestData: DataFormatterType
            /// Makes text of the body of a response.
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

            /// The bytes as UTF-8, or a line that says that they are not.
            public static func defaultDataFormatter(_ data: Data) -> String {
                String(data: data, encoding: .utf8) ?? "## Cannot map data to String ##"
            }

            /// `Moya_Logger: [<date>] <identifier>: <message>`, with a short date and time of the current locale.
            public static func defaultEntryFormatter(
                identifier: String, message: String, target: any TargetType
            ) -> String {
                let date = LogDate.text
                var entry = ""
                // A message may be a whole body, which is copied once this way.
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
