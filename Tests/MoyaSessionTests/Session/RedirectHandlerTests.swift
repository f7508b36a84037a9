import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RedirectHandlerTests {
    private static let url = "http://a.example/"
    private let transport = SteppedTransport()

    private func modifying(_ change: @escaping @Sendable (inout URLRequest) -> Void) -> Redirector {
        Redirector(
            behavior: .modify { _, request, _ in
                var changed = request
                change(&changed)
                return changed
            })
    }

    private func text(of body: TransportBody?) -> String? {
        if case .data(let data) = body { String(decoding: data, as: UTF8.self) } else { nil }
    }

    // MARK: Following and not

    @Test func aRedirectThatIsNotFollowedIsTheResponseWithItsBody() async throws {
        let server = try await LoopbackServer { try await $0.respond(302, ["Location": "/next"], body: "moved") }
        let session = Session.onTheWire(redirectHandler: Redirector.doNotFollow)
        let response = await session.request(server.url).answered()
        #expect(response.error == nil)
        #expect(response.response?.statusCode == 302)
        #expect(response.response?.value(forHTTPHeaderField: "Location") == "/next")
        #expect(response.data == Data("moved".utf8))
        #expect(server.requestCount == 1)
    }

    @Test func fiveHopsAreFollowed() async throws {
        let server = try await LoopbackServer { exchange in
            let hop = Int(exchange.request.path.dropFirst()) ?? 0
            if hop == 5 { return try await exchange.respond(body: "there") }
            try await exchange.respond(302, ["Location": "/\(hop + 1)"])
        }
        for handler in [nil, Redirector.follow] {
            let session = Session.onTheWire(redirectHandler: handler)
            let outcome = await session.request(server.url.appendingPathComponent("0")).outcome()
            #expect(outcome.data == Data("there".utf8))
            #expect(outcome.url?.path == "/5")
        }
        #expect(server.requestCount == 12)
    }

    @Test(arguments: [true, false]) func aHandlerDecidesAboutARedirectWhoseBodyIsCutShort(isFollowed: Bool) async {
        let transport = StubbedTransport(.cut(302, [("Location", "/next")], "mo"), .response(200, [], "there"))
        let session = Session.over(
            transport, redirectHandler: isFollowed ? Redirector.follow : Redirector.doNotFollow)
        let outcome = await session.request(URLRequest.to(Self.url)).outcome()
        #expect(outcome.head?.status == (isFollowed ? 200 : 302))
        #expect((outcome.error == nil) == isFollowed)
        #expect(transport.requests.count == (isFollowed ? 2 : 1))
    }

    @Test func theHandlerOfTheRequestTakesPrecedence() {
        let session = Session.over(transport, redirectHandler: Redirector.doNotFollow)
        session.request(URLRequest.to(Self.url)).redirect(using: .follow).resume()
        transport.exchanges[0].respond(302, [("Location", "/next")])
        #expect(transport.exchanges.count == 2)
        transport.exchanges[1].respond()
    }

    @Test func aHandlerSeesEveryHop() {
        let session = Session.over(transport)
        let seen = Recorded<String?>()
        session.request(URLRequest.to(Self.url)).redirect(
            using: .modify { _, request, response in
                seen.add(request.url?.path)
                #expect(response.statusCode == 302)
                return request
            }
        ).resume()
        transport.exchanges[0].respond(302, [("Location", "/1")])
        transport.exchanges[1].respond(302, [("Location", "/2")])
        transport.exchanges[2].respond()
        #expect(seen.all == ["/1", "/2"])
    }

    private static let refused = ["http://a.example/", "myapp://callback?code=1"]

    @Test(arguments: refused) func aRefusedRedirectThatItsHandlerLetsPassIsAnError(location: String) async {
        let asked = Recorded<String?>()
        let session = Session.over(
            transport,
            redirectHandler: Redirector(
                behavior: .modify { _, request, _ in
                    asked.add(request.url?.absoluteString)
                    return request
                }))
        let request = session.request(URLRequest.to("https://a.example/")).resume()
        transport.exchanges[0].respond(302, [("Location", location)], "moved")
        let outcome = await request.outcome()
        #expect(outcome.error != nil && outcome.head?.status == 302)
        #expect(asked.all == [location])
        #expect(transport.exchanges.count == 1)
    }

    @Test(arguments: refused) func aHandlerMayEndARefusedRedirectWithItsResponse(location: String) async {
        let session = Session.over(transport, redirectHandler: Redirector.modify { _, _, _ in nil })
        let request = session.request(URLRequest.to("https://a.example/")).resume()
        transport.exchanges[0].respond(302, [("Location", location)], "moved")
        let outcome = await request.outcome()
        #expect(outcome.error == nil)
        #expect(outcome.data == Data("moved".utf8))
    }

    @Test func aHandlerMayRepairARefusedRedirect() async {
        let session = Session.over(
            transport, redirectHandler: modifying { $0.url = .sure("https://a.example/repaired") })
        let request = session.request(URLRequest.to("https://a.example/")).resume()
        transport.exchanges[0].respond(302, [("Location", "http://a.example/repaired")])
        transport.exchanges[1].respond(200, [], "there")
        #expect(await request.outcome().data == Data("there".utf8))
    }

    @Test(.timeLimit(.minutes(1))) func repairedRedirectsAreCounted() async {
        let session = Session.over(
            transport, redirectHandler: modifying { $0.url = .sure("https://a.example/again") })
        let request = session.request(URLRequest.to("https://a.example/")).resume()
        for index in 0...RedirectRules.maximumHops {
            transport.exchanges[index].respond(302, [("Location", "http://a.example/\(index)")])
        }
        #expect(await request.outcome().error != nil)
        #expect(transport.exchanges.count == RedirectRules.maximumHops + 1)
    }

    // MARK: Changing

    @Test func aHandlerMayChangeTheNextRequest() {
        let session = Session.over(transport, redirectHandler: modifying { $0.url = .sure("http://a.example/other") })
        session.request(URLRequest.to(Self.url)).resume()
        transport.exchanges[0].respond(302, [("Location", "/next")])
        #expect(transport.exchanges[1].request.url == "http://a.example/other")
        transport.exchanges[1].respond()
    }

    @Test func aHandlerMayRestoreMethodAndBody() {
        let handler = modifying {
            $0.httpMethod = "POST"
            $0.httpBody = Data("again".utf8)
        }
        let session = Session.over(transport, redirectHandler: handler)
        session.request(URLRequest.to(Self.url, method: "POST", body: "abc")).resume()
        transport.exchanges[0].respond(302, [("Location", "/next")])
        #expect(transport.exchanges[1].request.method == "POST")
        #expect(text(of: transport.exchanges[1].request.body) == "again")
        transport.exchanges[1].respond()
    }

    @Test(arguments: [301, 302, 303]) func aHandlerThatKeepsTheMethodOfAnUploadKeepsItsBody(status: Int) {
        let keeping = modifying { $0.httpMethod = "POST" }
        let session = Session.over(transport, redirectHandler: keeping)
        session.upload(Data("body".utf8), with: URLRequest.to(Self.url, method: "POST")).resume()
        transport.exchanges[0].respond(status, [("Location", "/next")])
        #expect(text(of: transport.exchanges[1].request.body) == "body")
        transport.exchanges[1].respond()
    }

    @Test(arguments: ["http://mirror.example/next", "https://a.example/next"])
    func aHandlerThatChangesTheOriginTakesNoCredentialAlong(url: String) {
        let leaving = modifying { $0.url = URL(string: url) }
        var request = URLRequest.to(Self.url)
        for name in ["Authorization", "X-Api-Key", "Accept"] { request.setValue("own", forHTTPHeaderField: name) }
        let session = Session.over(transport, redirectHandler: leaving)
        session.request(request).resume()
        transport.exchanges[0].respond(302, [("Location", "/next")])
        let sent = transport.exchanges[1].request
        #expect(sent.url == url)
        #expect(sent.fields.filter { $0.value == "own" }.map(\.name) == ["Accept"])
        transport.exchanges[1].respond()
    }

    @Test func aHandlerMaySetTheCredentialOfAnotherOrigin() {
        let leaving = modifying {
            $0.url = URL(string: "http://mirror.example/")
            $0.setValue("mirror", forHTTPHeaderField: "Authorization")
        }
        var request = URLRequest.to(Self.url)
        request.setValue("own", forHTTPHeaderField: "Authorization")
        let session = Session.over(transport, redirectHandler: leaving)
        session.request(request).resume()
        transport.exchanges[0].respond(302, [("Location", "/next")])
        #expect(transport.exchanges[1].request.fields["Authorization"] == "mirror")
        transport.exchanges[1].respond()
    }

    @Test func aHandlerThatChangesTheMethodToGETDropsTheBodyOfAnUpload() {
        let session = Session.over(transport, redirectHandler: modifying { $0.httpMethod = "GET" })
        session.upload(Data("abc".utf8), with: URLRequest.to(Self.url, method: "POST")).resume()
        transport.exchanges[0].respond(307, [("Location", "/next")])
        let next = transport.exchanges[1].request
        if case .none = next.body {} else { Issue.record("\(next.body)") }
        transport.exchanges[1].respond()
    }

    @Test func aHandlerMaySetAStream() async throws {
        let handler = modifying { $0.httpBodyStream = InputStream(data: Data("again".utf8)) }
        let session = Session.over(transport, redirectHandler: handler)
        session.upload(Data("abc".utf8), with: URLRequest.to(Self.url, method: "POST")).resume()
        transport.exchanges[0].respond(307, [("Location", "/next")])
        guard case .stream(let reader, _) = transport.exchanges[1].request.body else {
            Issue.record("\(transport.exchanges[1].request.body)")
            return
        }
        #expect(try await reader.readToEnd() == Data("again".utf8))
        transport.exchanges[1].respond()
    }

    @Test func aRestoredBodyIsKeptByTheNextHop() {
        let handler = modifying {
            $0.httpMethod = "POST"
            $0.httpBody = Data("again".utf8)
        }
        let session = Session.over(transport, redirectHandler: handler)
        session.upload(Data("abc".utf8), with: URLRequest.to(Self.url, method: "POST")).resume()
        transport.exchanges[0].respond(303, [("Location", "/1")])
        #expect(text(of: transport.exchanges[1].request.body) == "again")
        transport.exchanges[1].respond(307, [("Location", "/2")])
        #expect(text(of: transport.exchanges[2].request.body) == "again")
        transport.exchanges[2].respond()
    }

    @Test(arguments: ["file:///etc/passwd", "gopher://a.example/", "data:,x"])
    func aHandlerCannotLeadToAnotherScheme(url: String) async {
        let session = Session.over(transport, redirectHandler: modifying { $0.url = .sure(url) })
        let request = session.request(URLRequest.to(Self.url)).resume()
        transport.exchanges[0].respond(302, [("Location", "/next")])
        #expect(request.error?.isURLRequestValidationError == true)
        #expect(transport.exchanges.count == 1)
    }

    @Test(arguments: ["a\r\nX-Injected: b", "a\nb", "a\0b"])
    func aHandlerCannotInjectAField(value: String) async {
        let session = Session.over(
            transport, redirectHandler: modifying { $0.setValue(value, forHTTPHeaderField: "X-Name") })
        let request = session.request(URLRequest.to(Self.url)).resume()
        transport.exchanges[0].respond(302, [("Location", "/next")])
        let isRefusedOrHarmless =
            request.error?.isURLRequestValidationError == true
            || transport.exchanges.all.dropFirst().allSatisfy { exchange in
                exchange.request.fields.allSatisfy { $0.value.utf8.allSatisfy { $0 != 13 && $0 != 10 && $0 != 0 } }
            }
        #expect(isRefusedOrHarmless)
        request.cancel()
    }

    @Test(arguments: ["file:///etc/passwd", "gopher://a.example/", "ftp://a.example/", "javascript:alert(1)"])
    func aServerCannotLeadToAnotherScheme(location: String) async throws {
        let server = try await LoopbackServer { try await $0.respond(302, ["Location": location], body: "moved") }
        let session = Session.onTheWire()
        let response = await session.request(server.url).answered()
        let error = try #require(response.error?.underlyingError as? URLError)
        #expect(error.code == .unsupportedURL)
        #expect(error.localizedDescription.contains("neither http nor https"))
        #expect(response.response?.statusCode == 302)
        #expect(server.requestCount == 1)
    }

    // MARK: Handlers that do not keep the rules

    @Test func theFirstAnswerCounts() {
        let session = Session.over(
            transport,
            redirectHandler: HeldRedirectHandler { request, completion in
                completion(request)
                completion(nil)
                completion(request)
            })
        let request = session.request(URLRequest.to(Self.url)).resume()
        transport.exchanges[0].respond(302, [("Location", "/next")])
        #expect(transport.exchanges.count == 2)
        transport.exchanges[1].respond()
        #expect(request.response?.statusCode == 200)
    }

    @Test func anAnswerMayComeLateAndFromAnotherThread() async throws {
        let server = try await LoopbackServer { exchange in
            if exchange.request.path == "/next" { return try await exchange.respond(body: "there") }
            try await exchange.respond(302, ["Location": "/next"])
        }
        let session = Session.onTheWire(
            redirectHandler: HeldRedirectHandler { request, completion in
                DispatchQueue.global().async { DispatchQueue.global().async { completion(request) } }
            })
        #expect(await session.request(server.url).outcome().data == Data("there".utf8))
    }

    @Test func anAnswerAfterACancelSendsNothingAndChangesNothing() async {
        let held = Recorded<@Sendable (URLRequest?) -> Void>()
        let session = Session.over(
            transport, redirectHandler: HeldRedirectHandler { _, completion in held.add(completion) })
        let request = session.request(URLRequest.to(Self.url)).resume()
        transport.exchanges[0].respond(302, [("Location", "/next")], "moved")
        request.cancel()
        let status = request.response?.statusCode
        held.all[0](.to("http://a.example/next"))
        #expect(transport.exchanges.count == 1)
        #expect(request.response?.statusCode == status)
        #expect(request.error?.isExplicitlyCancelledError == true)
        #expect(await request.outcome().error?.isExplicitlyCancelledError == true)
    }

    @Test func aRequestMayBeCancelledByItsHandler() async {
        let session = Session.over(transport)
        let request = session.request(URLRequest.to(Self.url)).redirect(
            using: .modify { task, request, _ in
                task.cancel()
                return request
            })
        request.resume()
        transport.exchanges[0].respond(302, [("Location", "/next")])
        #expect(await request.outcome().error?.isExplicitlyCancelledError == true)
        #expect(transport.exchanges.count == 1)
    }

    @Test func anUnfollowedRedirectIsValidatedAndMayBeRetried() async {
        let session = Session.over(
            transport, interceptor: Intercepting.retrying(1), redirectHandler: Redirector.doNotFollow)
        let request = session.request(URLRequest.to(Self.url)).validate().resume()
        transport.exchanges[0].respond(302, [("Location", "/next")], "moved")
        transport.exchanges[1].respond(200)
        #expect(await request.outcome().error == nil)
    }

    @Test func aDownloadDeliversAnUnfollowedRedirectsBody() async throws {
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let session = Session.over(transport, redirectHandler: Redirector.doNotFollow)
        let download = session.download(URLRequest.to(Self.url)) { _, _ in (target, []) }.resume()
        transport.exchanges[0].respond(302, [("Location", "/next")], "moved")
        #expect(await download.answered().error == nil)
        #expect(try String(contentsOf: target, encoding: .utf8) == "moved")
    }

    @Test func redirectBodyIsNotPartOfTheNextResponse() async {
        let session = Session.over(transport, redirectHandler: Redirector.follow)
        let request = session.request(URLRequest.to(Self.url)).resume()
        transport.exchanges[0].respond(302, [("Location", "/next")], "moved")
        transport.exchanges[1].respond(200, [], "there")
        #expect(await request.outcome().data == Data("there".utf8))
    }
}
