import Foundation
import MoyaSession
import MoyaTesting
import Testing

/// Sessions with isolated configurations, as tests use them.
@Suite struct IsolatedSessionTests {
    private let transport = ScriptedTransport(.response(200, ["Set-Cookie": "isolated=1; Max-Age=1000"]))

    private func session() -> Session { Session(configuration: .isolated, transport: transport) }

    private func cookies(sentBy sessions: Session...) async -> [String?] {
        for session in sessions { _ = await session.request("https://isolated.test/").serializingData().response }
        return transport.requests.map { $0.fields["Cookie"] }
    }

    @Test func keepTheirOwnCookies() async {
        let session = session()
        #expect(await cookies(sentBy: session, session) == [nil, "isolated=1"])
    }

    @Test func shareNoCookies() async {
        #expect(await cookies(sentBy: session(), session()) == [nil, nil])
    }
}
