import Foundation

@testable import MoyaTesting

/// The client's end of a TCP connection, with nothing between the test and the bytes.
struct RawClient {
    private static let loop = Result { try SocketLoop {} }
    private let socket: LoopbackSocket

    init(to server: LoopbackServer, _ family: LoopbackServer.AddressFamily = .ipv4) throws {
        try self.init(port: server.port, family)
    }

    init(port: Int, _ family: LoopbackServer.AddressFamily = .ipv4) throws {
        let descriptor = try SocketDescriptor.stream(family)
        descriptor.prepareForTraffic()
        socket = LoopbackSocket(descriptor, on: try Self.loop.get())
        try descriptor.beginConnecting(family, port: port)
    }

    func send(_ text: String) async throws { try await socket.send([UInt8](text.utf8)) }

    func send(_ bytes: [UInt8]) async throws { try await socket.send(bytes) }

    func sendWhatFits(_ bytes: [UInt8]) throws -> Int { try socket.sendWhatFits(bytes[...]) }

    /// One read's worth of bytes; empty at the end.
    func receive() async throws -> [UInt8] { try await socket.receive(atMost: 65_536) }

    /// Text up to and with a mark; all there is when the server ends before.
    func receive(upTo mark: String) async throws -> String {
        var text = ""
        while !text.hasSuffix(mark) {
            let bytes = try await socket.receive(atMost: 1)
            guard !bytes.isEmpty else { break }
            text.unicodeScalars.append(Unicode.Scalar(bytes[0]))
        }
        return text
    }

    func receive(exactly count: Int) async throws -> [UInt8] {
        var received: [UInt8] = []
        while received.count < count {
            let bytes = try await socket.receive(atMost: count - received.count)
            guard !bytes.isEmpty else { break }
            received += bytes
        }
        return received
    }

    /// All bytes until the server sends FIN.
    func receiveToEnd() async throws -> [UInt8] {
        var received: [UInt8] = []
        while true {
            let bytes = try await socket.receive(atMost: 65_536)
            guard !bytes.isEmpty else { return received }
            received += bytes
        }
    }

    func receiveTextToEnd() async throws -> String { String(decoding: try await receiveToEnd(), as: UTF8.self) }

    /// One answer with a Content-Length: its status line and its body.
    func receiveAnswer() async throws -> (statusLine: String, body: String) {
        var length = 0
        var statusLine = ""
        while true {
            let line = try await receive(upTo: "\r\n").dropLast()
            if line.isEmpty { break }
            if statusLine.isEmpty { statusLine = String(line) }
            if line.lowercased().hasPrefix("content-length: ") { length = Int(line.dropFirst(16)) ?? 0 }
        }
        return (statusLine, String(decoding: try await receive(exactly: length), as: UTF8.self))
    }

    /// Sends FIN and continues to read.
    func endSending() { socket.endSending() }

    func close(resetting: Bool = false) { socket.close(resetting: resetting) }
}

/// A plain GET on a kept connection.
let getRoot = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
