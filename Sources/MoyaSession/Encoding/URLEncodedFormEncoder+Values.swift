public import Foundation

extension URLEncodedFormEncoder {
    /// The text of `true` and `false`.
    public enum BoolEncoding: Sendable {
        /// `1` and `0`
        case numeric
        /// `true` and `false`
        case literal

        func encode(_ value: Bool) -> String {
            switch self {
            case .numeric: value ? "1" : "0"
            case .literal: value ? "true" : "false"
            }
        }
    }

    /// The text of `Data`.
    public enum DataEncoding: Sendable {
        /// The encoding of `Data` itself: an array of numbers.
        case deferredToData
        /// In Base64 (RFC 4648 section 4).
        case base64
        /// The result of the closure; an error that it throws ends the encoding.
        @preconcurrency case custom(@Sendable (Data) throws -> String)

        /// The text; `nil` for the encoding of the data itself.
        func encode(_ data: Data) throws -> String? {
            switch self {
            case .deferredToData: nil
            case .base64: data.base64EncodedString()
            case .custom(let encode): try encode(data)
            }
        }
    }

    /// The text of `Date`.
    public enum DateEncoding: Sendable {
        /// The encoding of `Date` itself: seconds since the start of 2001, with their fraction.
        case deferredToDate
        /// Seconds since the start of 1970, with their fraction.
        case secondsSince1970
        /// Milliseconds since the start of 1970, with their fraction.
        case millisecondsSince1970
        /// RFC 3339, in UTC and whole seconds: `2001-01-01T00:02:03Z`; an infinite date or NaN is an error.
        case iso8601
        /// The output of the formatter; an infinite date or NaN is an error.
        @preconcurrency case formatted(DateFormatter)
        /// The result of the closure; an error that it throws ends the encoding.
        @preconcurrency case custom(@Sendable (Date) throws -> String)

        /// The text; `nil` for the encoding of the date itself.
        func encode(_ date: Date, at codingPath: @autoclosure () -> [any CodingKey]) throws -> String? {
            switch self {
            case .iso8601, .formatted:
                let seconds = date.timeIntervalSince1970
                guard !seconds.isFinite else { break }
                // Not the date, whose description traps on Linux.
                throw EncodingError.invalidValue(
                    seconds,
                    EncodingError.Context(
                        codingPath: codingPath(), debugDescription: "A date of \(seconds) seconds cannot be written."))
            default: break
            }
            return switch self {
            case .deferredToDate: nil
            case .secondsSince1970: date.timeIntervalSince1970.description
            case .millisecondsSince1970: (date.timeIntervalSince1970 * 1000).description
            case .iso8601: date.formatted(.iso8601)
            case .formatted(let formatter): formatter.string(from: date)
            case .custom(let encode): try encode(date)
            }
        }
    }

    /// The text of `nil`.
    public struct NilEncoding: Sendable {
        /// Omits the value and its name.
        public static let dropKey = NilEncoding { nil }
        /// Writes only the name: `name=`.
        public static let dropValue = NilEncoding { "" }
        /// Writes the word: `name=null`.
        public static let null = NilEncoding { "null" }

        private let encoding: @Sendable () -> String?

        /// Makes an encoding that writes the closure's result; for `nil`, the value and its name are omitted.
        @preconcurrency
        public init(encoding: @escaping @Sendable () -> String?) { self.encoding = encoding }

        func encode() -> String? { encoding() }
    }

    /// The text of a space.
    public enum SpaceEncoding: Sendable {
        /// `%20`
        case percentEscaped
        /// `+`
        case plusReplaced
    }
}
