#if os(Linux)
import Foundation
import MoyaCurl
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

/// A server that responds to the head of a request, over HTTP/2 with RST_STREAM in the same record.
@Suite(.timeLimit(.minutes(3)), .enabled(if: EarlyServer.isAvailable, "openssl or python3 is missing"))
struct LostResponseTests {
    private let server: EarlyServer
    private let transport = CurlTransport.separate(
        TransportConfiguration(trustPolicy: JudgedTrust { _ in }, proxy: .none))

    init() throws { server = try EarlyServer() }

    private func answer(to method: String) async throws -> HeardEvents {
        let body = TransportBody.data(Data(count: 3 << 20))
        return try await transport.run(HTTPRequest(method: method, url: server.url, body: body))
    }

    @Test func theResponseToAnIdempotentRequestArrives() async throws {
        for _ in 0..<2 {
            let answer = try await answer(to: "PUT")
            #expect(answer.failure == nil)
            #expect(answer.head?.status == 413)
        }
    }

    @Test func aServerOfHTTP2AloneIsAFailureThatSaysSo() async throws {
        let server = try EarlyServer(protocols: #"["h2"]"#)
        let body = TransportBody.data(Data(count: 3 << 20))
        let answer = try await transport.run(HTTPRequest(method: "PUT", url: server.url, body: body))
        if answer.failure == nil { return #expect(answer.head?.status == 413) }
        #expect(answer.kind == .reset)
        #expect(answer.failure?.message.contains("lost the response") == true)
    }

    /// The server may have acted on the request.
    @Test func anotherRequestIsNotSentTwice() async throws {
        let answer = try await answer(to: "POST")
        // A newer libcurl does not lose the response.
        if answer.failure == nil { return #expect(answer.head?.status == 413) }
        #expect(answer.kind == .reset)
        #expect(answer.failure?.message.contains("lost the response") == true)
    }

    /// libcurl learns nothing while it waits for the body, and has only its end to send.
    @Test func aResponseThatIsLostBeforeTheEndOfTheBodyIsKnownToo() async throws {
        let server = try EarlyServer(answersAt: "DATA")
        let reader = PausedBody()
        let upload = transport.begin(
            HTTPRequest(method: "PUT", url: server.url, body: .stream(reader, length: nil)))
        try await reader.isPaused.wait()
        // This is answered once the client's system has the response to the upload.
        let witness = CurlTransport.separate(
            TransportConfiguration(trustPolicy: JudgedTrust { _ in }, httpVersions: .http1Only, proxy: .none))
        #expect(try await witness.run(HTTPRequest(method: "GET", url: server.url)).head?.status == 413)
        for _ in 0..<2 { try await transport.settle() }
        reader.end()
        let answer = try await upload.sink.waitForEnd()
        // A newer libcurl does not lose the response.
        if answer.failure == nil { return #expect(answer.head?.status == 413) }
        #expect(answer.kind == .reset)
        #expect(answer.failure?.message.contains("lost the response") == true, "\(answer.failure as Any)")
    }

    @Test func aRequestWithoutABodyUsesHTTP2Afterwards() async throws {
        _ = try await answer(to: "PUT")
        let answer = try await transport.run(HTTPRequest(method: "GET", url: server.url))
        #expect(answer.head?.status == 413)
        #expect(answer.head?.version == "HTTP/2")
    }
}

/// The server, in a process.
private final class EarlyServer: Sendable {
    let url: String
    private let authority: TestAuthority
    private let process: pid_t

    static let isAvailable = TestAuthority.isAvailable && system("command -v python3 >/dev/null") == 0

    struct CannotBeMade: Error {}

    /// - Parameter frame: The frame of a request with a body that is answered.
    init(protocols: String = #"["h2", "http/1.1"]"#, answersAt frame: String = "HEADERS") throws {
        authority = try TestAuthority()
        let script = authority.folder["server.py"]
        let text = "PROTOCOLS, FRAME = \(protocols), \"\(frame)\"\n\(Self.script)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: script))
        let command = "cd '\(authority.folder.path)' && echo $$ && exec timeout -s KILL 120 python3 server.py"
        guard let output = popen(command, "r") else { throw CannotBeMade() }
        var line = [CChar](repeating: 0, count: 64)
        var numbers: [Int] = []
        while numbers.count < 2, fgets(&line, Int32(line.count), output) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            numbers.append(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0)
        }
        guard numbers.count == 2 else {
            pclose(output)
            throw CannotBeMade()
        }
        process = pid_t(numbers[0])
        url = "https://127.0.0.1:\(numbers[1])/"
        nonisolated(unsafe) let ended = output
        Thread.detachNewThread { pclose(ended) }
    }

    deinit { if process > 0 { kill(-process, SIGKILL) } }

    private static let script = #"""
        import socket, ssl, struct, threading

        DATA, HEADERS, RST_STREAM, SETTINGS, PING = 0, 1, 3, 4, 6
        END_STREAM, END_HEADERS = 1, 4
        STATUS_413 = b"\x08\x03413"

        def frame(kind, flags, stream, payload=b""):
            return struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload

        def exactly(stream, count):
            data = b""
            while len(data) < count:
                piece = stream.recv(count - len(data))
                if not piece:
                    raise EOFError
                data += piece
            return data

        def serve(plain):
            try:
                stream = context.wrap_socket(plain, server_side=True)
                if "http/1.1" not in PROTOCOLS and stream.selected_alpn_protocol() != "h2":
                    return stream.close()
                if stream.selected_alpn_protocol() != "h2":
                    data = b""
                    while b"\r\n\r\n" not in data:
                        data += stream.recv(65536) or exactly(stream, 1)
                    if FRAME == "DATA":
                        answered.wait()
                    stream.sendall(b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                    while stream.recv(65536):
                        pass
                    return
                exactly(stream, 24)
                stream.sendall(frame(SETTINGS, 0, 0))
                while True:
                    head = exactly(stream, 9)
                    number = struct.unpack("!I", head[5:])[0]
                    payload = exactly(stream, struct.unpack("!I", b"\0" + head[:3])[0])
                    if head[3] == SETTINGS and not head[4] & 1:
                        stream.sendall(frame(SETTINGS, 1, 0))
                    elif head[3] == PING and not head[4] & 1:
                        stream.sendall(frame(PING, 1, 0, payload))
                    elif head[3] == kinds[FRAME]:
                        answer = frame(HEADERS, END_HEADERS | END_STREAM, number, STATUS_413)
                        if not head[4] & END_STREAM:
                            answer += frame(RST_STREAM, 0, number, b"\0\0\0\0")
                        stream.sendall(answer)
                        # Until the client's system has acknowledged everything (struct tcp_info, tcpi_unacked).
                        state = lambda: stream.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
                        while struct.unpack_from("I", state(), 24)[0]:
                            pass
                        answered.set()
            except (EOFError, OSError):
                pass

        kinds, answered = {"HEADERS": HEADERS, "DATA": DATA}, threading.Event()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("good.pem", "good.key")
        context.set_alpn_protocols(PROTOCOLS)
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """# + "\n"
}
#endif
