#if os(Linux)
import Foundation
import MoyaTransport
import Testing

@testable import MoyaCurl
import TransportConformance
@testable import MoyaTesting

/// The bytes of requests on a socket, for any input of a caller of the transport.
@Suite(.timeLimit(.minutes(3))) struct TransferOptionsTests {
    /// A string that a caller gives, and the exchange in which it ends up.
    struct Slot: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The words of a refusal that name the string.
        let words: String
        var configuration: @Sendable (String, Int) -> TransportConfiguration = { _, _ in TransportConfiguration() }
        var fill: @Sendable (inout HTTPRequest, String) -> Void = { _, _ in }

        static func field(_ name: String) -> Slot {
            Slot(
                testDescription: name, words: "The header field \(name) ",
                fill: { $0.fields.append(HTTPField(name: name, value: $1)) })
        }

        static func credential(_ scheme: TransportAuthentication.Scheme, isUser: Bool) -> Slot {
            Slot(
                testDescription: "\(scheme.rawValue) \(isUser ? "user" : "password")",
                words: "the \(isUser ? "user name" : "password") holds",
                fill: {
                    $0.authentication = TransportAuthentication(
                        scheme: scheme, user: isUser ? $1 : "u", password: isUser ? "p" : $1)
                })
        }

        static func proxy(isUser: Bool) -> Slot {
            Slot(
                testDescription: "proxy's \(isUser ? "user" : "password")",
                words: "proxy: the \(isUser ? "user name" : "password") holds",
                configuration: { text, port in
                    TransportConfiguration(
                        proxy: .custom(
                            .init(
                                .http, host: "127.0.0.1", port: port,
                                credentials: .init(user: isUser ? text : "u", password: isUser ? "p" : text))))
                })
        }

        static let all: [Slot] = [
            Slot(testDescription: "method", words: "is not a method", fill: { $0.method = $1 }),
            Slot(testDescription: "path", words: "http or https URL", fill: { $0.url += "/" + $1 }),
            Slot(testDescription: "query", words: "http or https URL", fill: { $0.url += "/?" + $1 }),
            Slot(
                testDescription: "field name", words: "The header field a",
                fill: { $0.fields.append(HTTPField(name: $1, value: "x")) }),
            field("X-Own"), field("Host"), field("Cookie"), field("Authorization"), field("X-Forwarded-For"),
            field("Forwarded"), field("Content-Type"), field("Accept"), field("User-Agent"),
            credential(.digest, isUser: true), credential(.digest, isUser: false),
            credential(.ntlm, isUser: true), credential(.ntlm, isUser: false),
            credential(.negotiate, isUser: true), credential(.negotiate, isUser: false),
            proxy(isUser: true), proxy(isUser: false),
        ]
    }

    private static let controls: [UInt8] = [UInt8](0..<9) + [UInt8](10..<32) + [0x7F]
    private static let refusal = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nWWW-Authenticate: "

    private func request(_ listener: RawListener, _ method: String = "GET") -> HTTPRequest {
        HTTPRequest(
            method: method, url: "http://127.0.0.1:\(listener.port)",
            fields: [HTTPField(name: "Accept", value: "a"), HTTPField(name: "Accept-Encoding", value: "b")])
    }

    /// The lines of the one request that the listener has read, and what follows its empty line.
    private func sent(_ listener: RawListener) async throws -> (lines: [String], rest: String) {
        let received = try await listener.received()
        try #require(received.count == 1, "\(received)")
        let parts = received[0].split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        try #require(parts.count == 2, "\(received)")
        return (parts[0].components(separatedBy: "\r\n"), String(parts[1]))
    }

    @Test(arguments: Slot.all)
    func refusesControlCharactersByNameBeforeAnyByte(_ slot: Slot) async throws {
        var random = SeededGenerator(seed: 16)
        for _ in 0..<25 {
            let listener = try RawListener(answering: [
                Self.refusal + "Digest realm=\"r\", nonce=\"n\", NTLM, Negotiate\r\n\r\n", RawListener.closing,
            ])
            let control = Self.controls[Int.random(in: 0..<Self.controls.count, using: &random)]
            var text = [UInt8]("abcdefg".utf8)
            text.insert(control, at: Int.random(in: 1...6, using: &random))
            if Bool.random(using: &random) { text += Array("\r\nX-Injected: 1\r\n\r\nGET /2 HTTP/1.1".utf8) }
            let value = String(decoding: text, as: UTF8.self)
            var request = request(listener)
            slot.fill(&request, value)
            let transport = CurlTransport.separate(slot.configuration(value, listener.port))
            let answer = try await transport.run(request)
            #expect(answer.kind == .unsupported, "\(value.debugDescription)")
            #expect(answer.failure?.message.contains(slot.words) == true, "\(answer.failure as Any)")
            #expect(try await listener.received() == [], "\(value.debugDescription)")
        }
    }

    @Test(arguments: ["é", "\u{85}", "\u{9F}", "\u{2028}", "\u{2029}", "a\tb", "日本", "a\"\\b;,="])
    func sendsEveryOtherValueOnItsLine(_ value: String) async throws {
        let listener = try RawListener()
        var request = request(listener)
        request.url += "/a?b"
        request.fields.append(HTTPField(name: "X-Own", value: value))
        #expect(try await CurlTransport.separate().run(request).failure == nil)
        let sent = try await sent(listener)
        #expect(sent.lines.first == "GET /a?b HTTP/1.1")
        #expect(
            sent.lines.dropFirst().sorted() == [
                "Accept-Encoding: b", "Accept: a", "Host: 127.0.0.1:\(listener.port)", "X-Own: \(value)",
            ])
        #expect(sent.rest.isEmpty)
    }

    @Test(arguments: [" ", "\t", "  \t "])
    func treatsAValueOfSpacesAsEmpty(_ value: String) async throws {
        for name in ["Host", "X-Own", "Accept"] {
            let listener = try RawListener()
            var request = request(listener)
            request.fields.removeAll { $0.name == name }
            request.fields.append(HTTPField(name: name, value: value))
            #expect(try await CurlTransport.separate().run(request).failure == nil)
            #expect(try await sent(listener).lines.contains { $0.hasPrefix(name + ":") }, "\(name)")
        }
    }

    // MARK: Fields of the connection

    @Test(arguments: [
        ("Connection", "X-Own, keep-alive"), ("connection", "Upgrade, HTTP2-Settings"), ("Keep-Alive", "timeout=5"),
        ("Proxy-Connection", "keep-alive"), ("Proxy-Authorization", "Basic c2VjcmV0"), ("TE", "trailers"),
        ("Trailer", "X-Own"), ("HTTP2-Settings", "AAMAAABkAAQAAP__"), ("proxy-AUTHORIZATION", "x"),
        ("Transfer-Encoding", "chunked"), ("transfer-encoding", "identity"), ("Content-Length", "5"),
        ("CONTENT-LENGTH", "0"), ("Content-Length", "5, 6"),
    ])
    func doesNotSendConnectionFieldsOfTheRequest(_ name: String, _ value: String) async throws {
        for method in ["GET", "HEAD", "POST", "DELETE"] {
            for body in [TransportBody.none, .data(Data("hello".utf8))] {
                let listener = try RawListener()
                var request = request(listener, method)
                if case .data = body, method == "HEAD" { continue }
                request.body = body
                request.fields.append(HTTPField(name: name, value: value))
                #expect(try await CurlTransport.separate().run(request).failure == nil)
                let sent = try await sent(listener)
                let hasBody = if case .data = body { true } else { false }
                var expected = [
                    "Accept-Encoding: b", "Accept: a", "\(method) / HTTP/1.1", "Host: 127.0.0.1:\(listener.port)",
                ]
                if hasBody {
                    expected.append("Content-Length: 5")
                } else if method == "POST" {
                    expected.append("Content-Length: 0")
                }
                #expect(sent.lines.sorted() == expected.sorted(), "\(method)")
                #expect(sent.rest == (hasBody ? "hello" : ""))
            }
        }
    }

    @Test func sendsConnectionClose() async throws {
        let listener = try RawListener()
        var request = request(listener)
        request.fields.append(HTTPField(name: "Connection", value: "Close"))
        #expect(try await CurlTransport.separate().run(request).failure == nil)
        #expect(try await sent(listener).lines.contains("Connection: Close"))
    }

    @Test func refusesAnUpgradeByName() async throws {
        let listener = try RawListener()
        var request = request(listener)
        request.fields.append(HTTPField(name: "Upgrade", value: "websocket"))
        let answer = try await CurlTransport.separate().run(request)
        #expect(answer.kind == .unsupported)
        #expect(answer.failure?.message.contains("Upgrade") == true)
        #expect(try await listener.received() == [])
    }

    @Test func refusesCONNECTByName() async throws {
        let listener = try RawListener()
        let answer = try await CurlTransport.separate().run(request(listener, "CONNECT"))
        #expect(answer.kind == .unsupported)
        #expect(answer.failure?.message.contains("CONNECT") == true)
        #expect(try await listener.received() == [])
    }

    @Test(arguments: [5, nil] as [Int64?])
    func statesTheLengthOfAStreamDespiteTheFields(_ length: Int64?) async throws {
        // A response before the last chunk would end the request early.
        let listener = try RawListener(answering: length == nil ? ["", RawListener.closing] : [RawListener.closing])
        var request = request(listener, "POST")
        request.body = .stream(PieceReader(Data("hello".utf8), piece: 5), length: length)
        request.fields += [
            HTTPField(name: "Content-Length", value: "3"), HTTPField(name: "Transfer-Encoding", value: "gzip"),
        ]
        #expect(try await CurlTransport.separate().run(request).failure == nil)
        let sent = try await sent(listener)
        let framing = sent.lines.filter { $0.hasPrefix("Content-Length") || $0.hasPrefix("Transfer-Encoding") }
        #expect(framing == [length == nil ? "Transfer-Encoding: chunked" : "Content-Length: 5"])
        #expect(sent.rest == (length == nil ? "5\r\nhello\r\n0\r\n\r\n" : "hello"))
    }

    // MARK: The limit of connecting

    @Test(
        arguments: [
            (0, 1), (1, 1), (1_000_000, 1), (1_000_001, 2), (60_000_000_000, 60_000), (UInt64.max - 1, 2_147_483_647),
            (UInt64.max, 2_147_483_647),
        ] as [(UInt64, Int)])
    func aLimitOfConnectingIsInWholeMillisecondsAndNeverLibcurlsDefault(_ nanoseconds: UInt64, _ milliseconds: Int) {
        #expect(TransferOptions.milliseconds(nanoseconds) == milliseconds)
    }

    // MARK: User information

    @Test(arguments: ["user:hunter2@", "user@", "%0d%0aX-Injected:1@", ":@", "@"])
    func refusesUserInformationInAURL(_ user: String) async throws {
        let listener = try RawListener()
        var request = request(listener)
        request.url = "http://\(user)127.0.0.1:\(listener.port)/"
        let answer = try await CurlTransport.separate().run(request)
        #expect(answer.kind == .unsupported)
        #expect(answer.failure?.message.contains("hunter2") == false)
        #expect(try await listener.received() == [])
    }

    @Test func sendsAnAtSignAfterTheAuthority() async throws {
        let listener = try RawListener()
        var request = request(listener)
        request.url += "/a@b?c@d"
        #expect(try await CurlTransport.separate().run(request).failure == nil)
        #expect(try await sent(listener).lines.first == "GET /a@b?c@d HTTP/1.1")
    }

    // MARK: What a server's challenge says

    @Test(arguments: [
        "realm=\"r\u{1}\", nonce=\"n\"", "realm=\"r\", nonce=\"n\rX-Injected: 1\"", "realm=\"r\", nonce=\"\u{7F}\"",
        "realm=\"r\", nonce=\"n\", opaque=\"a\u{B}b\"", "realm=\"r\", nonce=\"n\", opaque=\"\u{1F}\"",
    ])
    func doesNotAnswerAChallengeWithControlCharacters(_ challenge: String) async throws {
        let listener = try RawListener(answering: [
            Self.refusal + "Digest " + challenge + "\r\n\r\n", RawListener.closing,
        ])
        var request = request(listener)
        request.authentication = TransportAuthentication(scheme: .digest, user: "u", password: "p")
        let answer = try await CurlTransport.separate().run(request)
        #expect(answer.kind == .protocolViolation)
        #expect(try await sent(listener).rest.isEmpty)
    }

    @Test func escapesQuotesAndBackslashesOfAUserName() async throws {
        let listener = try RawListener(answering: [
            Self.refusal + "Digest realm=\"r\", nonce=\"n\"\r\n\r\n", RawListener.closing,
        ])
        var request = request(listener)
        request.authentication = TransportAuthentication(scheme: .digest, user: "a\", uri=\"\\b:c", password: "p")
        #expect(try await CurlTransport.separate().run(request).failure == nil)
        let received = try await listener.received()
        #expect(received.count == 1 && received[0].components(separatedBy: "\r\n\r\n").count == 3)
        #expect(received.first?.contains("username=\"a\\\", uri=\\\"\\\\b:c\", realm=") == true)
    }

    @Test func sendsALetterOfADigestUserNameOrRefusesIt() async throws {
        let listener = try RawListener(answering: [
            Self.refusal + "Digest realm=\"r\", nonce=\"n\"\r\n\r\n", RawListener.closing,
        ])
        var request = request(listener)
        request.authentication = TransportAuthentication(scheme: .digest, user: "é", password: "p")
        let answer = try await CurlTransport.separate().run(request)
        guard !CurlVersion.loaded.escapesDigestNames else {
            #expect(answer.failure?.message.contains("Digest user name") == true)
            return
        }
        #expect(try await listener.received().first?.contains("username=\"é\"") == true)
    }

    @Test func aDigestUserNameBeyondASCIIIsAProblemOfSomeVersions() {
        let login = TransportAuthentication(scheme: .digest, user: "é", password: "é")
        #expect(login.problem(with: CurlVersion(8, 20)) == nil)
        #expect(login.problem(with: CurlVersion(8, 21))?.contains("libcurl 8.21.0") == true)
        let ascii = TransportAuthentication(scheme: .digest, user: "e", password: "é")
        #expect(ascii.problem(with: CurlVersion(8, 21)) == nil)
    }
}
#endif
