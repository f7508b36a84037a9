#if os(Linux)
import CMoyaCurl
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct CurlTransportFailureTests {
    @Test func aBodyShorterThanItsLengthIsTruncated() async throws {
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        #expect(answer.kind == .truncated)
        #expect(answer.head?.status == 200)
        #expect(answer.text == "half")
    }

    @Test(arguments: ["", "HTTP/1.1 100 Continue\r\n\r\n"])
    func aStatusLineOfSmallLettersIsAViolation(_ interim: String) async throws {
        let answer = try await recording(of: interim + "http/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        #expect(answer.kind == .protocolViolation)
        #expect(answer.heads.isEmpty)
    }

    @Test(arguments: [110_000, 200_000, 300_000]) func aFieldLineThatIsTooLongIsAViolation(_ length: Int) async throws {
        let line = "X: " + String(repeating: "x", count: length)
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 2\r\n\r\nok")
        #expect(answer.kind == .protocolViolation)
        #expect(answer.failure?.message.contains("a line longer than") == true)
    }

    @Test(arguments: [200, 201, 202, 204]) func aConnectionWithoutTheAwaitedBodyIsClosed(_ status: Int) async throws {
        let server = try await LoopbackServer(onConnection: { connection in
            // Answers the head, and reads on as if the body came.
            _ = try await connection.receive()
            try await connection.send("HTTP/1.1 \(status) Early\r\nContent-Length: 0\r\n\r\n")
            try await connection.stallUntilClosed()
        }) { _ in }
        let transport = CurlTransport.separate()
        for _ in 1...2 {
            var request = server.request("POST", body: .data(Data("GET /smuggled HTTP/1.1\r\n\r\n".utf8)))
            request.fields.append(HTTPField(name: "Expect", value: "100-continue"))
            #expect(try await transport.run(request).head?.status == status)
        }
        #expect(server.connectionCount == 2)
    }

    @Test(arguments: ["gzip", "chunked, gzip", "gzip, chunked", "chunked;q=1", "chunked, chunked", "identity chunked"])
    func aTransferCodingThatWasNotAgreedOnIsAViolation(_ coding: String) async throws {
        let answer = try await recording(
            of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n2\r\nok\r\n0\r\n\r\n")
        #expect(answer.kind == .protocolViolation || answer.kind == .contentDecoding)
        #expect(answer.heads.isEmpty)
    }

    @Test func aConnectionOfHTTP10IsLeftForABodyOfUnknownLength() async throws {
        let server = try await LoopbackServer { exchange in
            guard exchange.request.target == "/old" else { return try await exchange.respond() }
            try await exchange.send(raw: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok")
        }
        let transport = CurlTransport.separate()
        for target in ["/old", "/new"] {
            let reader = LateReader([Data("body".utf8)])
            for _ in 1...2 { reader.letOneThrough() }
            let body = target == "/new" ? TransportBody.stream(reader, length: nil) : .none
            let request = server.request(target == "/new" ? "POST" : "GET", target, body: body)
            #expect(try await transport.run(request).head?.status == 200)
        }
        #expect(server.connectionCount == 2)
    }

    /// RFC 9110 section 15.2.2.
    @Test func aProtocolThatNobodyAskedForIsAViolation() async throws {
        let answer = try await recording(
            of: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")
        #expect(answer.kind == .protocolViolation)
        #expect(answer.heads.isEmpty)
    }

    @Test func aBodyWithNothingOfItsLengthIsTruncated() async throws {
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
        #expect(answer.kind == .truncated)
    }

    @Test(arguments: ["4\r\nhalf\r\n", "9\r\nhalf", "4\r\nhalf\r\n0\r\n", "", "4", "4\r\nhalf\r\n0\r\nT: x\r\n"])
    func aChunkedBodyWithoutItsEndIsTruncated(_ body: String) async throws {
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
        #expect(answer.kind == .truncated)
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", "HTTP/1.1 200 OK\r\n"])
    func aHeadWithoutItsEndIsTruncated(_ head: String) async throws {
        let answer = try await recording(of: head)
        #expect(answer.kind == .truncated)
        #expect(answer.heads.isEmpty)
    }

    @Test func aServerThatClosesWithoutAResponseIsAReset() async throws {
        let server = try await LoopbackServer { _ in }
        let answer = try await CurlTransport.separate().run(server.request())
        #expect(answer.kind == .reset)
        #expect(answer.order == ["end"])
    }

    @Test func sentRequestThatCannotBeResentFailsAsAReset() async throws {
        let server = try await LoopbackServer { exchange in
            if exchange.request.target == "/first" { return try await exchange.respond() }
            try await exchange.stallUntilClosed()
        }
        let transport = CurlTransport.separate()
        _ = try await transport.run(server.request("GET", "/first"))
        let running = transport.begin(server.request("GET", "/second"))
        try await server.waitUntil { $0.requestCount == 2 }
        server.stop()
        let answer = try await running.sink.waitForEnd()
        // The kernel decides if the next connection is refused or broken as well.
        #expect(answer.kind == .reset)
    }

    @Test func aResetBeforeTheHeadIsAReset() async throws {
        let server = try await LoopbackServer { $0.reset() }
        #expect(try await CurlTransport.separate().run(server.request()).kind == .reset)
    }

    @Test(arguments: [
        ["Content-Length": "100"], ["Transfer-Encoding": "chunked"], [:] as LoopbackFields,
    ])
    func aResetWithinTheBodyIsAReset(_ fields: LoopbackFields) async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, fields)
            try await exchange.send(raw: fields["Transfer-Encoding"] == nil ? "half" : "4\r\nhalf\r\n")
            try await gate.wait()
            exchange.reset()
        }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request())
        try await running.sink.waitUntil { $0.text == "half" }
        gate.open()
        #expect(try await running.sink.waitForEnd().kind == .reset)
    }

    @Test func aResetDuringTheUploadIsAReset() async throws {
        let server = try await LoopbackServer(.init(socketBuffer: 16_384)) { exchange in
            _ = try await exchange.readBody(exactly: 10_000)
            exchange.reset()
        }
        let answer = try await CurlTransport.separate().run(
            server.request("POST", body: .data(Data(count: 32 << 20))))
        #expect(answer.kind == .reset)
    }

    @Test(arguments: [
        "garbage\r\n\r\n", "garbage that goes on for longer than a status line does\r\n\r\nand on\r\n", "\r\n\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n", "HTTQ/1.1 200 OK\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}\u{5}",
    ])
    func bytesThatAreNoAnswerBreakTheRules(_ garbage: String) async throws {
        let answer = try await recording(of: garbage)
        #expect(answer.kind == .protocolViolation)
        #expect(answer.heads.isEmpty)
        #expect(answer.body.isEmpty)
    }

    @Test(arguments: ["zz\r\nhello\r\n0\r\n\r\n", "-1\r\nx\r\n0\r\n\r\n", "ffffffffffffffffff\r\nx"])
    func malformedChunkSizeBreaksTheRules(_ body: String) async throws {
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
        #expect(answer.kind == .protocolViolation)
    }

    @Test func aChunkLongerThanItsSizeBreaksTheRules() async throws {
        let answer = try await recording(
            of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n")
        #expect(answer.kind == .protocolViolation)
    }

    @Test(arguments: ["abc", "-1", "99999999999999999999999"])
    func malformedLengthBreaksTheRules(_ length: String) async throws {
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nhello")
        #expect(answer.kind == .protocolViolation)
    }

    /// RFC 9112 section 6.3: a client that took one of two lengths could be made to read another's answer.
    @Test func twoLengthsThatDifferBreakTheRules() async throws {
        let answer = try await recording(
            of: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 2\r\n\r\nhello")
        #expect(answer.kind == .protocolViolation)
    }

    @Test(arguments: [LoopbackServer.AddressFamily.ipv4, .ipv6])
    func aRefusedPortIsAFailureToConnect(_ family: LoopbackServer.AddressFamily) async throws {
        let closed = try ClosedPort(family)
        let host = family == .ipv4 ? "127.0.0.1" : "[::1]"
        let request = HTTPRequest(method: "GET", url: "http://\(host):\(closed.port)/")
        let answer = try await CurlTransport.separate().run(request)
        #expect(answer.kind == .connect)
        #expect(answer.order == ["end"])
        #expect(answer.failure?.message.isEmpty == false)
        withExtendedLifetime(closed) {}
    }

    @Test func aHostThatDoesNotExistIsAFailureToResolve() async throws {
        let request = HTTPRequest(method: "GET", url: "http://no-such-host.invalid/")
        let answer = try await CurlTransport.separate().run(request)
        #expect(answer.kind == .dns)
        #expect(answer.order == ["end"])
    }

    @Test(arguments: [
        "file:///etc/passwd", "gopher://127.0.0.1/", "ftp://127.0.0.1/", "", "http://", "nonsense", "http://a b/",
    ])
    func aURLThatIsNotHTTPIsUnsupported(_ url: String) async throws {
        let answer = try await CurlTransport.separate().run(HTTPRequest(method: "GET", url: url))
        #expect(answer.kind == .unsupported)
        #expect(answer.order == ["end"])
    }

    @Test func plainHTTPOnATLSPortAndTheOtherWayRoundFail() async throws {
        let server = try await LoopbackServer(onConnection: { connection in
            _ = try await connection.receive()
            try await connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
            connection.close()
        }) { _ in }
        let answer = try await CurlTransport.separate().run(
            HTTPRequest(method: "GET", url: "https://127.0.0.1:\(server.port)/"))
        #expect(answer.kind == .tls(.handshake))
    }

    /// Nothing was sent and nothing was refused: the next attempt may well succeed.
    @Test(arguments: [false, true])
    func aHandshakeThatTheConnectionsEndCutsOffIsAConnectionThatCouldNotBeMade(isReset: Bool) async throws {
        let server = try await LoopbackServer(onConnection: { connection in
            _ = try await connection.receive()
            if isReset { connection.reset() } else { connection.close() }
        }) { _ in }
        let answer = try await CurlTransport.separate().run(
            HTTPRequest(method: "GET", url: "https://127.0.0.1:\(server.port)/"))
        #expect(answer.kind == .connect, "\(answer.failure as Any)")
    }

    /// Over TLS 1.3 a server refuses the client's certificate, or the lack of one, after the client's handshake, and in
    /// the versions of OpenSSL with another text.
    @Test(arguments: [
        (CURLE_RECV_ERROR, "SSL_read: OpenSSL/3.0.19: error:0A00045C:SSL routines::tlsv13 alert certificate required"),
        (CURLE_RECV_ERROR, "TLS connect error: error:0A000412:SSL routines::ssl/tls alert bad certificate"),
        (CURLE_SSL_CONNECT_ERROR, "OpenSSL/3.0.19: error:0A000418:SSL routines::tlsv1 alert unknown ca"),
        (CURLE_SEND_ERROR, "error:14094415:SSL routines:ssl3_read_bytes:sslv3 alert certificate expired"),
    ])
    func aRefusedClientCertificateIsAFailureOfTheCertificate(code: CURLcode, text: String) {
        for isConnected in [false, true] {
            let failure = TransportFailure.of(code, text: text, isConnected: isConnected, hasHeard: false)
            #expect(failure.kind == .tls(.clientCertificate))
            #expect(failure.message == text)
        }
    }

    @Test(arguments: [
        (CURLE_RECV_ERROR, "error:0A000438:SSL routines::tlsv1 alert internal error", TransportFailure.Kind.reset),
        (CURLE_SSL_CONNECT_ERROR, "error:0A000410:SSL routines::sslv3 alert handshake failure", .tls(.handshake)),
        (CURLE_SSL_CONNECT_ERROR, "error:0A000086:SSL routines::certificate verify failed", .tls(.handshake)),
        (CURLE_RECV_ERROR, "Recv failure: Connection reset by peer", .reset),
    ])
    func otherAlertsAreNotOfTheClientCertificate(code: CURLcode, text: String, kind: TransportFailure.Kind) {
        let isConnected = code == CURLE_RECV_ERROR
        #expect(TransportFailure.of(code, text: text, isConnected: isConnected, hasHeard: false).kind == kind)
    }

    @Test func aFailureLeavesTheTransportFitForTheNextExchange() async throws {
        let server = try await LoopbackServer { exchange in
            switch exchange.request.path {
            case "/reset": exchange.reset()
            case "/garbage":
                try await exchange.send(raw: "garbage\r\n\r\n")
                exchange.close()
            case "/short": try await exchange.send(head: 200, ["Content-Length": "9"])
            default: try await exchange.respond(body: "fine")
            }
        }
        let transport = CurlTransport.separate()
        for path in ["/reset", "/garbage", "/short"] {
            #expect(try await transport.run(server.request("GET", path)).failure != nil)
            #expect(try await transport.run(server.request("GET", "/")).text == "fine")
        }
    }
}
#endif
