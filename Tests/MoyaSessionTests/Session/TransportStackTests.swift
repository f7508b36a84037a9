import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Transports around a transport, as a session composes them.
@Suite struct TransportStackTests {
    private let wire = SteppedTransport()

    private func session(_ stages: [TransportStage], storage: HTTPCookieStorage? = nil) -> Session {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpAdditionalHeaders = [:]
        configuration.httpCookieStorage = storage
        return Session(
            configuration: configuration, startRequestsImmediately: false, transport: wire, transports: stages)
    }

    @Test func theFirstOfTheUsersStagesIsTheOutermost() {
        let session = session([.adding("one"), .adding("two")])
        session.request(URLRequest.to("http://a.example/")).resume()
        #expect(wire.exchanges[0].request.fields.map(\.name) == ["one", "two"])
        wire.exchanges[0].respond()
    }

    @Test func theUsersStagesSeeEveryRedirectAndItsCookies() throws {
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        storage.cookieAcceptPolicy = .always
        let seen = Recorded<String>()
        let stage = TransportStage { inner in
            Changing(inner: inner) { request in
                let cookie = request.fields.first { $0.name == "Cookie" }?.value
                seen.add(request.url + (cookie.map { " \($0)" } ?? ""))
            }
        }
        let session = session([stage], storage: storage)
        session.request(URLRequest.to("http://a.example/")).resume()
        wire.exchanges[0].respond(302, [("Location", "/next"), ("Set-Cookie", "a=b; Path=/")])
        wire.exchanges[1].respond()
        #expect(seen.all == ["http://a.example/", "http://a.example/next a=b"])
    }

    @Test func aStageMayAnswerWithoutTheTransport() async {
        let session = session([TransportStage { _ in StubbedTransport(.response(418)) }])
        let outcome = await session.request(URLRequest.to("http://a.example/")).outcome()
        #expect(outcome.head?.status == 418)
        #expect(wire.exchanges.isEmpty)
    }
}

/// Changes requests on their way to another transport.
private struct Changing: Transport {
    let inner: any Transport
    let change: @Sendable (inout HTTPRequest) -> Void

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        var request = request
        change(&request)
        return inner.start(request, delivering: sink)
    }
}

extension TransportStage {
    fileprivate static func adding(_ name: String) -> Self {
        Self { inner in Changing(inner: inner) { $0.fields.append(HTTPField(name: name, value: "")) } }
    }
}
