import Foundation
import Moya
import MoyaSession
import Testing

/// An open HTTP/2 connection that has gone silent, while the server answers on others.
@Suite(.needsServers, .timeLimit(.minutes(5)))
struct SilentConnectionTests {
    let servers: Servers

    init() throws { servers = try #require(Servers.running) }

    private func call(_ server: StreamServer, _ session: Session, _ deadlines: Deadlines) throws -> DataRequest {
        session.request(try server.url()).timeouts(deadlines)
    }

    /// - Parameters:
    ///   - isKnown: `true` if the server has answered on the connection before.
    ///   - isShared: `true` if another call keeps waiting on the connection.
    @Test(arguments: [true, false], [true, false])
    func takesNoFurtherCallDown(isKnown: Bool, isShared: Bool) async throws {
        let server = try await StreamServer(of: servers)
        let session = Session.trusting(servers)
        let patient = Deadlines(total: .seconds(20))
        if isKnown { #expect(try await call(server, session, patient).outcome().response?.statusCode == 200) }

        try await server.set("silence")
        let waiting = isShared ? try call(server, session, Deadlines(idle: .zero)).resume() : nil
        for bound in [Deadlines(idle: .milliseconds(300)), Deadlines(attempt: .milliseconds(300))] {
            let failure = try await call(server, session, bound).outcome().error?.transportFailure
            guard case .timeout? = failure?.kind else {
                Issue.record("\(failure as Any)")
                return
            }
        }

        try await server.set("answer")
        for _ in 0..<3 {
            let outcome = try await call(server, session, patient).outcome()
            #expect(outcome.data == Data("whole".utf8), "\(outcome.error as Any)")
            #expect(outcome.metrics?.networkProtocol == "h2")
        }
        waiting?.cancel()
        #expect(try await call(server, session, patient).outcome().response?.statusCode == 200)
    }

    /// Middleware and a deadline of a call cancel its request.
    @Test func isLeftByACallThatItsDeadlineCancels() async throws {
        let server = try await StreamServer(of: servers)
        let provider = MoyaProvider<Call>(session: .trusting(servers))
        let call = Call.get(try server.url(), "/")
        #expect(try await provider.request(call).statusCode == 200)
        try await server.set("silence")
        await #expect(throws: MoyaError.self) { try await provider.request(call, deadline: .milliseconds(700)) }
        try await server.set("answer")
        #expect(try await provider.request(call, deadline: .seconds(20)).statusCode == 200)
    }

    /// The first words of a response do not make a connection sound.
    @Test func thatEndsWithinAResponseTakesNoFurtherCallDown() async throws {
        let server = try await StreamServer(of: servers)
        let session = Session.trusting(servers)
        // The limit of silence applies to the handshake, too.
        let first = try await call(server, session, Deadlines(total: .seconds(20))).outcome()
        #expect(first.data == Data("whole".utf8), "\(first.error as Any)")
        try await server.set("reset 0")
        let half = try await call(server, session, Deadlines(idle: .milliseconds(300))).outcome()
        #expect(half.error?.transportFailure?.kind == .timeout(.idle))
        try await server.set("answer")
        let next = try await call(server, session, Deadlines(total: .seconds(20))).outcome()
        #expect(next.data == Data("whole".utf8), "\(next.error as Any)")
    }

    /// libcurl wakes up the requests that wait for a connection one at a time, whatever their servers.
    @Test func thatIsNeverMadeHoldsUpNoCallToAnotherServer() async throws {
        let silent = try SilentPort()
        let session = Session.trusting(servers)
        let stuck = (0..<30).map { _ in session.request("https://127.0.0.1:\(silent.number)/").resume() }
        let slow = session.request(servers.nginxTLS.appendingPathComponent("slow/large.bin")).resume()
        let quick = (0..<3).map { _ in session.request(servers.nginxTLS.appendingPathComponent("static/small.json")) }
        for request in quick { #expect(await request.outcome().response?.statusCode == 200) }
        #expect(!slow.isFinished)
        for request in stuck { #expect(!request.isFinished) }
        for request in stuck + [slow] { request.cancel() }
        withExtendedLifetime(silent) {}
    }

    /// The server offers no HTTP/2, so that each call needs its own connection.
    @Test func thatIsBusyHoldsUpNoFurtherCallToItsServer() async throws {
        let host = try #require(servers.nginxWrongName.host)
        let session = Session(
            startRequestsImmediately: false,
            serverTrustManager: ServerTrustManager(evaluators: [host: DisabledTrustEvaluator()]))
        let slow = session.request(servers.nginxWrongName.appendingPathComponent("slow/large.bin")).resume()
        let quick = (0..<3).map { _ in
            session.request(servers.nginxWrongName.appendingPathComponent("static/small.json")).resume()
        }
        for request in quick { #expect(await request.outcome().response?.statusCode == 200) }
        #expect(!slow.isFinished)
        slow.cancel()
    }

    /// libcurl 7.88 leaves a request with such a connection.
    @Test(arguments: ["GET", "POST"])
    func thatTakesNoMoreStreamsHoldsNoCallBack(method: String) async throws {
        let server = try await StreamServer(of: servers)
        let session = Session.trusting(servers)
        try await server.set("last")
        for _ in 0..<3 {
            let outcome = try await session.request(try server.url(), method: HTTPMethod(rawValue: method))
                .timeouts(Deadlines(total: .seconds(20))).outcome()
            #expect(outcome.data == Data("whole".utf8), "\(outcome.error as Any)")
        }
    }
}
