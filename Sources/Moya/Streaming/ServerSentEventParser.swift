import Foundation
import MoyaTransport

/// Parses events by WHATWG HTML section 9.2.6.
struct ServerSentEventParser: StreamParser {
    /// The last id of a complete event; empty if there is none.
    private(set) var lastEventID: String
    /// The server's wait before another connection, in milliseconds, or `nil`.
    private(set) var retry: Int64?

    private let limit: Int
    private var lines: LineSplitter
    private var id: String
    private var type = ""
    private var data: [UInt8] = []

    /// Makes a parser for one connection.
    ///
    /// - Parameters:
    ///   - lastEventID: The id from the previous connection, valid until the server sends another.
    ///   - limit: The maximum number of bytes in a line, and in the data of an event.
    init(lastEventID: String = "", limit: Int = .max) {
        self.lastEventID = lastEventID
        self.limit = limit
        id = lastEventID
        lines = LineSplitter(limit: limit)
    }

    mutating func append(_ chunk: Data) { lines.append(chunk) }

    /// Drops an incomplete event, and a line without an end.
    mutating func finish() {}

    mutating func next() throws(ResponseStreamError) -> ServerSentEvent? {
        while let line = try lines.next() {
            if !line.isEmpty {
                read(line)
                // The last line feed is not a part of the data.
                guard data.count - 1 <= limit else { throw .elementTooLong(limit: limit) }
            } else if let event = dispatch() {
                return event
            }
        }
        return nil
    }

    private mutating func read(_ line: ArraySlice<UInt8>) {
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        // A line that begins with a colon is a comment; its empty name matches no field.
        let name = line[..<(colon ?? line.endIndex)]
        var value = colon.map { line[($0 + 1)...] } ?? []
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        if name.elementsEqual("data".utf8) {
            data.append(contentsOf: value)
            data.append(UInt8(ascii: "\n"))
        } else if name.elementsEqual("event".utf8) {
            type = String(decoding: value, as: UTF8.self)
        } else if name.elementsEqual("id".utf8) {
            if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        } else if name.elementsEqual("retry".utf8), !value.isEmpty, value.allSatisfy(ASCII.isDigit) {
            retry = ASCII.number(value) ?? .max
        }
    }

    private mutating func dispatch() -> ServerSentEvent? {
        lastEventID = id
        defer {
            data.removeAll(keepingCapacity: data.capacity <= 1 << 16)
            type = ""
        }
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            id: id.isEmpty ? nil : id, type: type.isEmpty ? "message" : type,
            data: String(decoding: data.dropLast(), as: UTF8.self))
    }
}
