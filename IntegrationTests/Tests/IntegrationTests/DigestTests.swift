import Foundation
import Moya
import MoyaSession
import Synchronization
import Testing

/// httpbin's `/digest-auth`, as the wire answers it.
@Suite(.needsServers)
struct DigestTests {
    let servers: Servers

    init() throws { servers = try #require(Servers.running) }

    private func run(_ path: String, password: String) async throws -> [Int] {
        let session = Session(startRequestsImmediately: false)
        var request = HTTPRequest(method: "GET", url: servers.httpbin.absoluteString + path)
        request.authentication = TransportAuthentication(scheme: .digest, user: "ole", password: password)
        return try await withCheckedThrowingContinuation { continuation in
            _ = session.transport.start(request, delivering: StatusSink(keeping: session, continuation))
        }
    }

    @Test(arguments: ["MD5", "SHA-256"])
    func onlyTheRightPasswordIsAccepted(algorithm: String) async throws {
        #expect(try await run("/digest-auth/auth/ole/secret/\(algorithm)", password: "secret") == [200])
    }

    @Test func theWrongPasswordGetsThe401() async throws {
        #expect(try await run("/digest-auth/auth/ole/secret", password: "wrong") == [401])
    }
}

/// Takes the statuses of the heads that it is shown.
private final class StatusSink: TransportSink {
    private let statuses = Mutex<[Int]>([])
    private let session: Session
    private let continuation: CheckedContinuation<[Int], any Error>

    init(keeping session: Session, _ continuation: CheckedContinuation<[Int], any Error>) {
        self.session = session
        self.continuation = continuation
    }

    func receive(_ event: TransportEvent) -> TransportDemand {
        switch event {
        case .head(let head): statuses.withLock { $0.append(head.status) }
        case .end(let end):
            if let failure = end.failure {
                continuation.resume(throwing: failure)
            } else {
                continuation.resume(returning: statuses.withLock { $0 })
            }
        default: break
        }
        return .more
    }
}
