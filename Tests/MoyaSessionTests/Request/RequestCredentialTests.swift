import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RequestCredentialTests {
    private static let url = "http://a.example/"
    private static let basic = StubbedTransport.Answer.response(401, [("WWW-Authenticate", "Basic realm=\"r\"")])

    private func authorization(_ request: HTTPRequest) -> String? {
        request.fields.first { $0.name.lowercased() == "authorization" }?.value
    }

    private func storage(user: String, authenticationMethod: String, port: Int = 80) -> URLCredentialStorage {
        let storage = URLCredentialStorage()
        let space = URLProtectionSpace(
            host: "a.example", port: port, protocol: "http", realm: "r", authenticationMethod: authenticationMethod)
        let credential = URLCredential(user: user, password: "stored", persistence: .forSession)
        storage.setDefaultCredential(credential, for: space)
        return storage
    }

    @Test func theRightCredentialIsTheResult() async throws {
        let server = try await LoopbackServer { exchange in
            let isRight = exchange.request.fields["Authorization"] == "Basic dXNlcjpwYXNz"
            try await exchange.respond(isRight ? 200 : 401, ["WWW-Authenticate": "Basic realm=\"r\""])
        }
        let session = Session.onTheWire()
        let request = session.request(server.url).authenticate(username: "user", password: "pass")
        #expect(await request.outcome().head?.status == 200)
        #expect(server.requestCount == 2)
        #expect(request.retryCount == 0)
    }

    @Test func theWrongCredentialIsTriedOnceWithoutAnError() async throws {
        let server = try await LoopbackServer { try await $0.respond(401, ["WWW-Authenticate": "Basic realm=\"r\""]) }
        let session = Session.onTheWire()
        let response = await session.request(server.url).authenticate(username: "user", password: "wrong").answered()
        #expect(response.error == nil)
        #expect(response.response?.statusCode == 401)
        #expect(server.requestCount == 2)
    }

    @Test func serverThatRefusesIsNotContactedTwice() async {
        let transport = StubbedTransport(.response(404))
        let session = Session.over(transport)
        let outcome = await session.request(URLRequest.to(Self.url))
            .authenticate(username: "user", password: "pass").outcome()
        #expect(outcome.head?.status == 404)
        #expect(transport.requests.count == 1)
    }

    @Test func aServerThatHidesItsChallengeIsSentTheHeader() async {
        let transport = StubbedTransport(.response(200))
        var urlRequest = URLRequest.to(Self.url)
        urlRequest.headers = [.authorization(username: "user", password: "pass")]
        let session = Session.over(transport)
        _ = await session.request(urlRequest).outcome()
        #expect(authorization(transport.requests[0]) == "Basic dXNlcjpwYXNz")
    }

    @Test func theStoragesDefaultAnswersWhereTheRequestHasNone() async {
        let transport = StubbedTransport(Self.basic, .response(200))
        let storage = storage(user: "u", authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        let session = Session.over(transport, credentials: storage)
        let outcome = await session.request(URLRequest.to(Self.url)).outcome()
        #expect(outcome.head?.status == 200)
        #expect(
            transport.requests.last.flatMap(authorization)
                == BasicAuthentication.authorization(user: "u", password: "stored"))
    }

    @Test(arguments: ["HTTP://A.Example/", "http://a.example:80/", "http://%61.example/"])
    func theStoragesDefaultAnswersInEachSpellingOfItsOrigin(url: String) async {
        let transport = StubbedTransport(Self.basic, .response(200))
        let storage = storage(user: "u", authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        let session = Session.over(transport, credentials: storage)
        #expect(await session.request(URLRequest.to(url)).outcome().head?.status == 200)
    }

    @Test func theRequestsCredentialOverridesTheStorages() async {
        let transport = StubbedTransport(Self.basic, .response(200))
        let storage = storage(user: "u", authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        let session = Session.over(transport, credentials: storage)
        _ = await session.request(URLRequest.to(Self.url)).authenticate(username: "user", password: "pass").outcome()
        #expect(transport.requests.last.flatMap(authorization) == "Basic dXNlcjpwYXNz")
    }

    @Test func aCredentialOfAnotherPortIsNotSent() async {
        let transport = StubbedTransport(Self.basic)
        let storage = storage(user: "u", authenticationMethod: NSURLAuthenticationMethodHTTPBasic, port: 8080)
        let session = Session.over(transport, credentials: storage)
        #expect(await session.request(URLRequest.to(Self.url)).outcome().head?.status == 401)
        #expect(transport.requests.count == 1)
    }

    // MARK: Which scheme

    @Test(arguments: [
        [("WWW-Authenticate", #"Basic realm="r", Digest realm="r", nonce="n", qop="auth""#)],
        [("WWW-Authenticate", #"Basic realm="r""#), ("www-authenticate", #"digest realm="r", nonce="n""#)],
    ])
    func digestIsPreferredToBasic(fields: [(String, String)]) async throws {
        let transport = StubbedTransport(.response(401, fields), .response(200))
        let session = Session.over(transport)
        let request = session.request(URLRequest.to(Self.url))
        _ = await request.authenticate(username: "user", password: "pass").outcome()
        let sent = try #require(transport.requests.last)
        #expect(sent.authentication?.scheme == .digest)
        #expect(sent.authentication?.user == "user" && sent.authentication?.password == "pass")
        #expect(authorization(sent) == nil)
        #expect(transport.requests.count == 2)
    }

    private static let digest = #"Digest realm="r", nonce="n""#

    /// The scheme that answers challenges, of a request with a body or without one.
    private func scheme(answering lines: [String], body: String = "") async -> String? {
        let fields = lines.map { ("WWW-Authenticate", $0) }
        let transport = StubbedTransport(.response(401, fields), .response(200))
        let session = Session.over(transport)
        let sent = HTTPRequest(method: "PUT", url: Self.url, body: .data(Data(body.utf8)))
        _ = await session.request(sent).authenticate(username: "user", password: "pass").outcome()
        guard transport.requests.count == 2, let last = transport.requests.last else { return nil }
        return last.authentication?.scheme.rawValue ?? authorization(last)
    }

    @Test(arguments: [
        "", ", algorithm=MD5", ", algorithm=md5-SESS", #", algorithm="SHA-256""#, ", algorithm=SHA-256-sess",
        ", qop=auth", #", qop="auth-int, AUTH""#, #", qop="""#,
    ])
    func aDigestOfKnownParametersIsAnswered(parameters: String) async {
        #expect(await scheme(answering: [Self.digest + parameters, "Basic realm=r"], body: "b") == "Digest")
    }

    @Test(arguments: [
        ", algorithm=SHA-512-256", ", algorithm=SHA-512-256-sess", ", algorithm=none", ", qop=auth-int",
        ", qop=auth-conf",
    ])
    func aDigestThatCannotBeAnsweredGivesWayToAnotherScheme(parameters: String) async {
        let digest = Self.digest + parameters
        #expect(await scheme(answering: [digest, "Basic realm=r"], body: "b") == "Basic dXNlcjpwYXNz")
        #expect(await scheme(answering: ["\(digest), NTLM"], body: "b") == "NTLM")
        #expect(await scheme(answering: [digest], body: "b") == nil)
        // libcurl answers the first line alone.
        #expect(await scheme(answering: [digest, Self.digest], body: "b") == nil)
        #expect(await scheme(answering: [Self.digest, digest], body: "b") == "Digest")
    }

    @Test func aDigestWithoutANonceGivesWayToAnotherScheme() async {
        #expect(await scheme(answering: ["Digest realm=r", "Basic realm=r"]) == "Basic dXNlcjpwYXNz")
    }

    @Test func aDigestOverAnEmptyBodyIsAnswered() async {
        #expect(await scheme(answering: [Self.digest + ", qop=auth-int", "Basic realm=r"]) == "Digest")
    }

    @Test func digestsThatLibcurlWouldMixGiveWayToAnotherScheme() async {
        let other = #"Digest realm="s", nonce="m""#
        #expect(await scheme(answering: ["\(Self.digest), \(other)", "Basic realm=r"]) == "Basic dXNlcjpwYXNz")
        #expect(await scheme(answering: ["\(Self.digest), \(Self.digest)", "Basic realm=r"]) == "Digest")
        #expect(await scheme(answering: [Self.digest, other, "Basic realm=r"]) == "Digest")
    }

    @Test(arguments: [("Negotiate", TransportAuthentication.Scheme.negotiate), ("NTLM", .ntlm)])
    func theOtherSchemesAreLeftToTheTransport(offered: String, scheme: TransportAuthentication.Scheme) async {
        let transport = StubbedTransport(.response(401, [("WWW-Authenticate", offered)]), .response(200))
        let session = Session.over(transport)
        let request = session.request(URLRequest.to(Self.url))
        _ = await request.authenticate(username: "user", password: "pass").outcome()
        #expect(transport.requests.last?.authentication?.scheme == scheme)
    }

    /// Kerberos ignores the user and the password, so its refusal says nothing about them.
    @Test func basicIsAnsweredAfterARefusedNegotiate() async throws {
        let both = [("WWW-Authenticate", "Negotiate"), ("WWW-Authenticate", "Basic realm=\"r\"")]
        let transport = StubbedTransport(.response(401, both), .response(401, both), .response(200))
        let session = Session.over(transport)
        let request = session.request(URLRequest.to(Self.url))
        #expect(await request.authenticate(username: "user", password: "pass").outcome().head?.status == 200)
        #expect(transport.requests.map { $0.authentication?.scheme } == [nil, .negotiate, nil])
        #expect(authorization(try #require(transport.requests.last)) == "Basic dXNlcjpwYXNz")
    }

    /// A transport that answers no challenge, as over URLSession on Linux.
    private struct Unanswering: Transport {
        let inner: StubbedTransport
        var authenticationSchemes: Set<TransportAuthentication.Scheme> { [] }

        func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
            inner.start(request, delivering: sink)
        }
    }

    @Test func schemesThatTheTransportDoesNotAnswerAreLeftOut() async throws {
        let all = [("WWW-Authenticate", "Negotiate, NTLM, Digest realm=\"r\", nonce=\"n\", Basic realm=\"r\"")]
        let transport = StubbedTransport(.response(401, all), .response(200))
        let session = Session.over(Unanswering(inner: transport))
        let request = session.request(URLRequest.to(Self.url))
        #expect(await request.authenticate(username: "user", password: "pass").outcome().head?.status == 200)
        #expect(authorization(try #require(transport.requests.last)) == "Basic dXNlcjpwYXNz")
    }

    @Test func challengeThatNothingAnswersIsTheResult() async {
        let transport = StubbedTransport(.response(401, [("WWW-Authenticate", "Negotiate, NTLM")]))
        let session = Session.over(Unanswering(inner: transport))
        let request = session.request(URLRequest.to(Self.url))
        let outcome = await request.authenticate(username: "user", password: "pass").outcome()
        #expect(outcome.head?.status == 401)
        #expect(outcome.error == nil)
        #expect(transport.requests.count == 1)
    }

    @Test func refusedBasicAfterARefusedNegotiateIsTheResult() async {
        let both = [("WWW-Authenticate", "Negotiate"), ("WWW-Authenticate", "Basic realm=\"r\"")]
        let transport = StubbedTransport(.response(401, both))
        let session = Session.over(transport)
        let request = session.request(URLRequest.to(Self.url))
        #expect(await request.authenticate(username: "user", password: "wrong").outcome().head?.status == 401)
        #expect(transport.requests.count == 3)
    }

    @Test func unknownSchemeIsNotAnswered() async {
        let transport = StubbedTransport(.response(401, [("WWW-Authenticate", "Bearer realm=\"r\"")]))
        let session = Session.over(transport)
        let request = session.request(URLRequest.to(Self.url))
        #expect(await request.authenticate(username: "user", password: "pass").outcome().head?.status == 401)
        #expect(transport.requests.count == 1)
    }

    @Test func aRefusedDigestIsTheResult() async {
        let transport = StubbedTransport(.response(401, [("WWW-Authenticate", #"Digest realm="r", nonce="n""#)]))
        let session = Session.over(transport)
        let request = session.request(URLRequest.to(Self.url))
        let outcome = await request.authenticate(username: "user", password: "wrong").outcome()
        #expect(outcome.head?.status == 401 && outcome.error == nil)
        #expect(transport.requests.count == 2)
    }

    // MARK: The URL's user

    @Test func userOfTheURLAnswersAChallenge() async throws {
        let transport = StubbedTransport(Self.basic, .response(200))
        let session = Session.over(transport)
        #expect(await session.request(URLRequest.to("http://us%65r:p%40ss@a.example/")).outcome().head?.status == 200)
        #expect(transport.requests.map(authorization) == [nil, "Basic dXNlcjpwQHNz"])
    }

    @Test func explicitCredentialPrecedesTheUserOfTheURL() async {
        let transport = StubbedTransport(Self.basic, .response(200))
        let session = Session.over(transport)
        let request = session.request(URLRequest.to("http://other:word@a.example/"))
        _ = await request.authenticate(username: "user", password: "pass").outcome()
        #expect(transport.requests.map(authorization) == [nil, "Basic dXNlcjpwYXNz"])
    }

    @Test func userInARedirectAnswersNoChallenge() async {
        let transport = StubbedTransport(.response(302, [("Location", "http://evil:word@a.example/next")]), Self.basic)
        let session = Session.over(transport)
        #expect(await session.request(URLRequest.to(Self.url)).outcome().head?.status == 401)
        #expect(transport.requests.count == 2)
    }

    // MARK: The body

    @Test func challengeWithoutACredentialLeavesTheBodyAlone() async {
        let body = RewoundBody()
        let sent = HTTPRequest(method: "POST", url: Self.url, body: .stream(body, length: nil))
        let session = Session.over(StubbedTransport(Self.basic))
        #expect(await session.request(sent).outcome().head?.status == 401)
        #expect(body.rewinds.value == 0)
    }

    // MARK: To whom

    @Test func anAnsweredCredentialStaysWithItsOrigin() async throws {
        let other = try await LoopbackServer { try await $0.respond(401, ["WWW-Authenticate": "Basic realm=\"r\""]) }
        let first = try await LoopbackServer { exchange in
            if exchange.request.fields["Authorization"] == nil {
                return try await exchange.respond(401, ["WWW-Authenticate": "Basic realm=\"r\""])
            }
            try await exchange.respond(302, ["Location": other.url.absoluteString])
        }
        let session = Session.onTheWire()
        let outcome = await session.request(first.url).authenticate(username: "user", password: "pass").outcome()
        #expect(outcome.head?.status == 401)
        #expect(first.requestCount == 2)
        #expect(other.requests.map { $0.fields["Authorization"] } == [nil])
    }

    @Test func aDigestStaysWithItsOrigin() async {
        let transport = StubbedTransport(
            .response(401, [("WWW-Authenticate", #"Digest realm="r", nonce="n""#)]),
            .response(302, [("Location", "http://b.example/")]), .response(200))
        let session = Session.over(transport)
        let request = session.request(URLRequest.to(Self.url))
        _ = await request.authenticate(username: "user", password: "pass").outcome()
        #expect(transport.requests.map { $0.authentication?.scheme } == [nil, .digest, nil])
    }

    @Test func theHostSetByAnAdapterIsAnswered() async {
        let transport = StubbedTransport(Self.basic, .response(200))
        let session = Session.over(
            transport,
            interceptor: Intercepting(adapt: { _, completion in completion(.success(.to("http://b.example/"))) }))
        let request = session.request(URLRequest.to(Self.url)).authenticate(username: "user", password: "pass")
        #expect(await request.outcome().head?.status == 200)
        #expect(transport.requests.map(\.url) == ["http://b.example/", "http://b.example/"])
    }

    @Test func aBodyIsSentAgainWithTheAnswer() async {
        let transport = StubbedTransport(Self.basic, .response(200))
        let session = Session.over(transport)
        let request = session.upload(Data("abc".utf8), to: Self.url)
        _ = await request.authenticate(username: "user", password: "pass").outcome()
        guard case .data(let data)? = transport.requests.last?.body else {
            Issue.record("no body")
            return
        }
        #expect(data == Data("abc".utf8))
    }
}

/// A body that counts how often it is read from its start again.
private final class RewoundBody: TransportBodyReader {
    let rewinds = Lock(0)

    func read(into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void) -> Int? { 0 }

    func rewind() -> Bool {
        rewinds.add(1)
        return true
    }
}
