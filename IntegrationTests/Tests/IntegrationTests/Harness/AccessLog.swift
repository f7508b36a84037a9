import Foundation

/// nginx's log of each request, with its connection and the versions of HTTP and TLS.
struct AccessLog: Sendable {
    let file: URL

    /// One line of the log.
    struct Entry: Sendable {
        let connection: Int
        let numberOnConnection: Int
        let httpVersion: String
        let status: Int
        let method: String
        let uri: String
        /// As OpenSSL spells it: `TLSv1.3`; `-` without TLS.
        let tlsVersion: String

        init?(line: Substring) {
            let words = line.split(separator: " ")
            guard words.count >= 9, let connection = Int(words[0]), let number = Int(words[1]),
                let status = Int(words[3])
            else { return nil }
            self.connection = connection
            numberOnConnection = number
            httpVersion = String(words[2])
            self.status = status
            method = String(words[6])
            uri = String(words[7])
            tlsVersion = String(words[8])
        }
    }

    /// The requests whose URI contains the mark, when there are that many.
    ///
    /// nginx writes a line after the last byte of the response was sent, so a client may be faster: the log is read
    /// again until the lines are there, and returned after five seconds in any case.
    func entries(marked mark: String, count: Int) async throws -> [Entry] {
        let deadline = ContinuousClock.now + .seconds(5)
        while true {
            let found = try String(contentsOf: file, encoding: .utf8)
                .split(separator: "\n")
                .compactMap(Entry.init(line:))
                .filter { $0.uri.contains(mark) }
            if found.count >= count || ContinuousClock.now > deadline { return found }
            try await _Concurrency.Task.sleep(for: .milliseconds(10))
        }
    }
}

/// A word that occurs in no other test's URI.
func uniqueMark() -> String { "mark-\(UInt64.random(in: .min ... .max))" }
