#if os(Linux)
import Foundation
import MoyaCurl
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Each stage of a session's transport stack, and all of them together, tested for the behaviour required of any
/// transport.
@Suite(.timeLimit(.minutes(5))) struct TransportStackConformanceTests {
    enum Stages: String, CaseIterable, Sendable {
        case followUps, cookies, urlCache, httpCache, all
    }

    @Test(arguments: Stages.allCases)
    func everyBehaviorIsMetOrDeclared(stages: Stages) async throws {
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let report = await TransportConformance.report(
            on: stages.rawValue, exceptions: stages.exceptions
        ) {
            let wire = CurlTransport(configuration: .init(proxy: .none), loop: CurlLoop(name: "conformance"))
            return stages.around(wire, cookies: CookieEngine(storage: storage, suffixes: .builtIn))
        }
        for entry in report.broken { Issue.record("\(entry.behavior): \(entry.verdict)") }
        #expect(report.isClean)
    }
}

extension TransportStackConformanceTests.Stages {
    fileprivate func around(_ wire: any Transport, cookies: CookieEngine) -> any Transport {
        switch self {
        case .followUps: FollowUps(inner: wire)
        case .cookies: Cookies(inner: wire, engine: cookies)
        case .urlCache, .httpCache:
            CacheTransport(
                inner: wire, cache: self == .urlCache ? cache : .memory(), policy: .useProtocolCachePolicy,
                queue: DispatchQueue(label: "cache"))
        case .all:
            TransportStack.make(
                over: wire, stages: [], credentials: CredentialFields(), cookies: cookies, cache: cache,
                cachePolicy: .useProtocolCachePolicy,
                queue: DispatchQueue(label: "cache"))
        }
    }

    private var cache: HTTPCache {
        HTTPCache(store: URLCacheStore(URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)))
    }

    fileprivate var exceptions: [TransportConformance.Exception] {
        let redirects = [301, 302, 307].map { status in
            TransportConformance.Exception(
                behavior: "the status \(status) is only reported",
                reason: "redirects are followed")
        }
        let cookies = TransportConformance.Exception(
            behavior: "no cookie of one answer goes with the next request", reason: "cookies are kept and sent")
        let status = ["a reason may be any text", "fields arrive in order, with spelling and duplicates"]
            .map { TransportConformance.Exception(behavior: $0, reason: "the cache adds its Cache-Status") }
        return switch self {
        case .followUps: redirects
        case .cookies: [cookies]
        case .urlCache, .httpCache: status
        case .all: redirects + [cookies] + status
        }
    }
}
#endif
