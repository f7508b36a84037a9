public import Foundation

extension URL {
    /// The URL of a target: its base URL with its path appended.
    ///
    /// An empty path leaves the base URL unchanged. Otherwise exactly one slash separates the two; a query of the base
    /// URL follows the path; a `?` in the path is escaped, since a path has no query.
    public init<T: TargetType>(target: T) {
        self.init(base: target.baseURL, path: target.path)
    }

    init(base: URL, path: String) {
        self =
            path.isEmpty
            ? base : Self.joined(base, path).flatMap { URL(string: $0.text) } ?? base.appendingPathComponent(path)
    }

    /// The text of a target's URL, which is parsed only when a request is made.
    ///
    /// - Returns: The text, and whether Foundation is known to accept it and to send it unchanged.
    static func text<T: TargetType>(of target: T) -> (text: String, isPlain: Bool) {
        let (base, path) = (target.baseURL, target.path)
        if !path.isEmpty, let (text, hasUser) = joined(base, path) { return (text, !hasUser) }
        return (URL(base: base, path: path).absoluteString, false)
    }

    /// The fast path for the usual case, several times as fast as Foundation: an HTTP base without a query or fragment,
    /// and a path without characters that need escaping and without a `.` that could form a segment.
    ///
    /// - Returns: The text, and whether it may contain a user name, which is not sent.
    private static func joined(_ base: URL, _ path: String) -> (text: String, hasUser: Bool)? {
        guard base.baseURL == nil else { return nil }
        var (text, path) = (base.absoluteString, path)
        guard let base = text.withUTF8(Base.init), path.withUTF8(isPlain) else { return nil }
        let pathBeginsWithSlash = path.utf8.first == UInt8(ascii: "/")
        text.reserveCapacity(text.utf8.count + path.utf8.count + 1)
        if !base.endsInSlash, !pathBeginsWithSlash { text += "/" }
        if base.endsInSlash, pathBeginsWithSlash { text += path.dropFirst() } else { text += path }
        return (text, base.hasUser)
    }

    /// The properties of a base URL to which a path may be appended.
    private struct Base {
        let endsInSlash: Bool
        /// `true` if the URL may contain a user name.
        let hasUser: Bool

        /// Reads the text of a URL; `nil` if no path may be appended to it.
        init?(_ text: UnsafeBufferPointer<UInt8>) {
            // Other schemes differ: a file URL of a directory ends in a slash, and some have no slash. Without a host,
            // the appended text would be parsed as one.
            let name: StaticString = text.count > 4 && text[4] == UInt8(ascii: "s") ? "https://" : "http://"
            let scheme = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
            guard text.count > scheme.count, text.starts(with: scheme) else { return nil }
            var hasUser = false
            for byte in text {
                switch byte {
                case UInt8(ascii: "?"), UInt8(ascii: "#"): return nil
                case UInt8(ascii: "@"): hasUser = true
                default: break
                }
            }
            self.hasUser = hasUser
            endsInSlash = text[text.count - 1] == UInt8(ascii: "/")
        }
    }

    /// `true` if every byte is literal in a path, no two slashes are adjacent, and the path does not end in one, which
    /// Foundation might change.
    private static func isPlain(_ path: UnsafeBufferPointer<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for byte in path {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
                break
            case UInt8(ascii: "."):
                // A segment of dots alone has a special meaning; Foundation handles a possible one.
                if previous == UInt8(ascii: "/") || previous == 0 { return false }
            case UInt8(ascii: "/"):
                if previous == UInt8(ascii: "/") { return false }
            default:
                return false
            }
            previous = byte
        }
        return previous != UInt8(ascii: "/")
    }
}
