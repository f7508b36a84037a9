import Foundation
import MoyaTesting
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The bytes of requests on a socket, for any input of a user of a session.
@Suite(.timeLimit(.minutes(3))) struct SessionCoreTransportRequestTests {
    /// A string that a user gives, and the request in which it ends up.
    struct Slot: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var session: @Sendable (String) -> Session = { _ in Session.onTheWire() }
        var request: @Sendable (Session, String, URL) -> Request = { $0.request($2) }

        static func field(_ name: String) -> Slot {
            Slot(testDescription: name, request: { $0.request($2, headers: [name: $1]) })
        }

        static func credential(isUser: Bool) -> Slot {
            Slot(
                testDescription: isUser ? "user" : "password",
                request: {
                    $0.request($2).authenticate(username: isUser ? $1 : "u", password: isUser ? "p" : $1)
                })
        }

        static func userInformation(_ escapes: Bool) -> Slot {
            Slot(
                testDescription: "user information\(escapes ? ", escaped" : "")",
                request: { session, text, url in
                    let text = escapes ? text.utf8.map { String(format: "%%%02x", $0) }.joined() : text
                    return session.request("http://\(text):\(text)@127.0.0.1:\(url.port ?? 0)/")
                })
        }

        static func cookie(isName: Bool) -> Slot {
            Slot(
                testDescription: isName ? "cookie name" : "cookie value",
                session: { text in
                    let configuration = URLSessionConfiguration.ephemeral
                    configuration.httpAdditionalHeaders = [:]
                    let cookie = HTTPCookie(properties: [
                        .name: isName ? text : "n", .value: isName ? "v" : text, .domain: "127.0.0.1", .path: "/",
                    ])
                    if let cookie { configuration.httpCookieStorage?.setCookie(cookie) }
                    return Session(configuration: configuration, startRequestsImmediately: false)
                })
        }

        static let all: [Slot] = [
            Slot(testDescription: "method", request: { $0.request($2, method: HTTPMethod(rawValue: $1)) }),
            Slot(testDescription: "path", request: { $0.request("\($2)/\($1)") }),
            Slot(testDescription: "query", request: { $0.request("\($2)/?\($1)") }),
            Slot(testDescription: "fragment", request: { $0.request("\($2)/#\($1)") }),
            Slot(testDescription: "parameter", request: { $0.request($2, parameters: [$1: $1]) }),
            Slot(testDescription: "field name", request: { $0.request($2, headers: [$1: "x"]) }),
            field("X-Own"), field("Host"), field("Cookie"), field("Authorization"), field("Forwarded"),
            field("Content-Type"), field("User-Agent"), field("Referer"),
            Slot(
                testDescription: "session's field",
                session: { text in
                    let configuration = URLSessionConfiguration.ephemeral
                    configuration.httpAdditionalHeaders = ["X-Session": text]
                    return Session(configuration: configuration, startRequestsImmediately: false)
                }),
            credential(isUser: true), credential(isUser: false),
            userInformation(false), userInformation(true), cookie(isName: true), cookie(isName: false),
            Slot(
                testDescription: "form",
                request: { session, text, url in
                    session.upload(
                        multipartFormData: { $0.append(Data(), withName: text, fileName: text, mimeType: "a/b") },
                        to: url)
                }),
            Slot(
                testDescription: "type of a part",
                request: { session, text, url in
                    session.upload(
                        multipartFormData: { $0.append(Data(), withName: "n", mimeType: text) }, to: url)
                }),
        ]
    }

    private static let refusal =
        "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n"
        + "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\n\r\n"

    /// Requests that a listener has read, by their empty lines; a form's parts have such lines too.
    private func heads(_ text: String) -> [[String]] {
        text.components(separatedBy: "\r\n\r\n").dropLast().map { $0.components(separatedBy: "\r\n") }
    }

    @Test(arguments: Slot.all)
    func userInputNeverBecomesAnotherRequest(_ slot: Slot) async throws {
        var random = SeededGenerator(seed: 61)
        for _ in 0..<20 {
            let asksForDigest = slot.testDescription == "user" || slot.testDescription == "password"
            let listener = try RawListener(
                answering: asksForDigest ? [Self.refusal, RawListener.closing] : [RawListener.closing])
            var text = [UInt8]("abcdefg".utf8)
            for _ in 0..<3 {
                let control = UInt8.random(in: 0..<0x21, using: &random)
                text.insert(control, at: Int.random(in: 1...6, using: &random))
            }
            if Bool.random(using: &random) { text += "\r\nX-Injected: 1\r\n\r\nGET /2 HTTP/1.1".utf8 }
            let value = String(decoding: text, as: UTF8.self)
            let session = slot.session(value)
            let outcome = await slot.request(session, value, listener.url).outcome()
            let received = try await listener.received()
            #expect(outcome.error != nil || !received.isEmpty)
            for text in received {
                #expect(!text.contains("\nX-Injected"), "\(value.debugDescription): \(text)")
                for line in heads(text).joined() {
                    let controls = line.utf8.filter { ($0 < 0x20 && $0 != 9) || $0 == 0x7F }
                    // The name of a part may contain them (WHATWG's form data), except those that end a line.
                    let isName = line.hasPrefix("Content-Disposition: form-data")
                    #expect(isName || controls.isEmpty, "\(line.debugDescription)")
                }
            }
        }
    }

    @Test(arguments: ["a:b", ":", "a\r\nb", "a\u{7F}", "a\u{85}", "a\u{2028}b", "\u{0}"])
    func aUserNameThatBasicCannotCarryFailsTheCall(_ user: String) async throws {
        let listener = try RawListener(answering: [
            Self.refusal.replacingOccurrences(of: "Digest", with: "Basic"), RawListener.closing,
        ])
        let session = Session.onTheWire()
        let outcome = await session.request(listener.url)
            .authenticate(username: user, password: "secret").outcome()
        #expect(outcome.error?.localizedDescription.contains("user name") == true)
        #expect(outcome.error?.localizedDescription.contains("secret") == false)
        let received = try await listener.received().joined()
        #expect(received.components(separatedBy: "GET / HTTP/1.1").count == 2)
        #expect(!received.contains("Authorization"))
    }

    @Test func aColonInAPasswordIsSent() async throws {
        let listener = try RawListener(answering: [
            Self.refusal.replacingOccurrences(of: "Digest", with: "Basic"), RawListener.closing,
        ])
        let session = Session.onTheWire()
        let outcome = await session.request(listener.url)
            .authenticate(username: "ü", password: "a:é").outcome()
        #expect(outcome.head?.status == 200)
        #expect(try await listener.received().joined().contains("Authorization: Basic w7w6YTrDqQ==\r\n"))
    }

    // MARK: Lengths

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"])
    func aLengthWithoutABodyIsNotSent(_ method: String) async throws {
        for field in [["Content-Length": "5"], ["Transfer-Encoding": "chunked"], ["content-length": "5, 6"]] {
            let listener = try RawListener()
            let session = Session.onTheWire()
            let outcome = await session.request(
                listener.url, method: HTTPMethod(rawValue: method), headers: HTTPHeaders(field)
            ).outcome()
            #expect(outcome.error == nil)
            let framing = heads(try await listener.received().joined()).joined()
                .filter { $0.lowercased().hasPrefix("content-length") || $0.lowercased().hasPrefix("transfer-") }
            #expect(framing == (["POST", "PUT", "PATCH"].contains(method) ? ["Content-Length: 0"] : []))
        }
    }

    @Test func aSessionsOwnFieldsSayNothingOfTheConnection() async throws {
        let listener = try RawListener()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpAdditionalHeaders = [
            "Content-Length": "5", "Connection": "keep-alive, X-Own", "TE": "trailers", "X-Own": "1",
            "Proxy-Authorization": "Basic c2VjcmV0", "Expect": "100-continue",
        ]
        let session = Session(configuration: configuration, startRequestsImmediately: false)
        #expect(await session.request(listener.url).outcome().error == nil)
        let lines = heads(try await listener.received().joined()).joined().dropFirst().map { $0.prefix { $0 != ":" } }
        #expect(lines.sorted() == ["Accept", "Accept-Encoding", "Host", "X-Own"])
    }

    @Test func anExpectationWithoutABodyIsNotSent() async throws {
        let listener = try RawListener()
        let session = Session.onTheWire()
        let request = session.request(listener.url, headers: ["Expect": "100-continue"])
        #expect(await request.outcome().error == nil)
        #expect(!(try await listener.received().joined().contains("Expect")))
    }

    @Test func anUpgradeIsRefusedByName() async throws {
        let listener = try RawListener()
        let session = Session.onTheWire()
        let request = session.request(listener.url, headers: ["Upgrade": "websocket"])
        #expect(await request.outcome().error?.localizedDescription.contains("Upgrade") == true)
        #expect(try await listener.received() == [])
    }
}
