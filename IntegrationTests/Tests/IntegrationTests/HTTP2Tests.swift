import Foundation
import Moya
import MoyaSession
import Testing

/// nginx offers HTTP/2 by ALPN, and logs the version used.
@Suite(.needsServers)
struct HTTP2Tests {
    let servers: Servers

    init() throws { servers = try #require(Servers.running) }

    @Test func tlsSpeaksHTTP2WithThePrivateAuthority() async throws {
        let mark = uniqueMark()
        let provider = MoyaProvider<Call>(session: .trusting(servers))
        let response = try await provider.request(.get(servers.nginxTLS, "/static/small.json", query: ["m": mark]))
        #expect(response.statusCode == 200)
        #expect(response.data.count == 196)
        #expect(try await servers.accessLog.entries(marked: mark, count: 1).map(\.httpVersion) == ["HTTP/2.0"])
    }

    @Test func http1IsUsedIfNothingElseIsAllowed() async throws {
        let mark = uniqueMark()
        let session = Session.with(
            TransportConfiguration(
                certificateAuthorities: .file(servers.certificateAuthority), httpVersions: .http1Only))
        let provider = MoyaProvider<Call>(session: session)
        _ = try await provider.request(.get(servers.nginxTLS, "/static/small.json", query: ["m": mark]))
        #expect(try await servers.accessLog.entries(marked: mark, count: 1).map(\.httpVersion) == ["HTTP/1.1"])
    }

    /// nghttp2 sends no more than 64 KiB, and nginx refuses such a field over either version.
    @Test(arguments: [("HTTP/2.0", 10), ("HTTP/1.1", 70_000)])
    func aHeadThatNoStreamCarriesUsesHTTP1(version: String, length: Int) async throws {
        let mark = uniqueMark()
        var call = Call.get(servers.nginxTLS, "/static/small.json", query: ["m": mark])
        call.headers = ["X-Long": String(repeating: "a", count: length)]
        let response = try await MoyaProvider<Call>(session: .trusting(servers)).request(call)
        #expect(response.statusCode == (length > 60_000 ? 400 : 200))
        #expect(try await servers.accessLog.entries(marked: mark, count: 1).map(\.httpVersion) == [version])
    }

    @Test func plainTextStaysHTTP1() async throws {
        let mark = uniqueMark()
        _ = try await MoyaProvider<Call>()
            .request(.get(servers.nginx, "/static/small.json", query: ["m": mark]))
        #expect(try await servers.accessLog.entries(marked: mark, count: 1).map(\.httpVersion) == ["HTTP/1.1"])
    }

    @Test func callsAtOnceShareAnOpenConnection() async throws {
        let mark = uniqueMark()
        let provider = MoyaProvider<Call>(session: .trusting(servers))
        let call = Call.get(servers.nginxTLS, "/static/small.json", query: ["m": mark])
        _ = try await provider.request(call)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await provider.request(call).data.count } }
            for try await count in group { #expect(count == 196) }
        }
        let entries = try await servers.accessLog.entries(marked: mark, count: 21)
        #expect(entries.count == 21)
        #expect(Set(entries.map(\.connection)).count == 1)
    }

    /// The first calls start before the server's version is known; the others wait for its two connections.
    @Test func withoutHTTP2EveryCallEndsOverTheAllowedConnections() async throws {
        let mark = uniqueMark()
        let configuration = URLSessionConfiguration.default
        let session = Session(
            configuration: configuration,
            serverTrustManager: ServerTrustManager(
                allHostsMustBeEvaluated: false, evaluators: ["localhost": DisabledTrustEvaluator()]),
            transportConfiguration: TransportConfiguration(maximumConnectionsPerHost: 2))
        let provider = MoyaProvider<Call>(session: session)
        let call = Call.get(servers.nginxWrongName, "/static/small.json", query: ["m": mark])
        for _ in 0..<2 {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<60 { group.addTask { try await provider.request(call).data.count } }
                for try await count in group { #expect(count == 196) }
            }
        }
        let entries = try await servers.accessLog.entries(marked: mark, count: 120)
        #expect(Set(entries.map(\.httpVersion)) == ["HTTP/1.1"])
        // A connection on which something arrives while it is idle, such as a ticket of TLS, is replaced.
        #expect(Set(entries.map(\.connection)).count <= 6)
    }

    /// 64 KiB at 32 KiB a second hold the only connection for longer than connecting may take.
    @Test func waitingForAConnectionIsNotConnecting() async throws {
        let session = Session(
            serverTrustManager: ServerTrustManager(
                allHostsMustBeEvaluated: false, evaluators: ["localhost": DisabledTrustEvaluator()]),
            transportConfiguration: TransportConfiguration(maximumConnectionsPerHost: 1))
        let provider = MoyaProvider<Call>(session: session)
        // Without a limit: beside many others, a handshake takes seconds.
        _ = try await provider.request(.get(servers.nginxWrongName, "/static/small.json"))
        let call = Call(
            baseURL: servers.nginxWrongName, path: "/slow/large.bin", headers: ["Range": "bytes=0-65535"])
        let deadlines = Deadlines(connect: .seconds(1))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<2 { group.addTask { try await provider.request(call, deadlines: deadlines).data.count } }
            for try await count in group { #expect(count == 65_536) }
        }
    }

    @Test func aBodyIsSentOverHTTP2() async throws {
        let mark = uniqueMark()
        let provider = MoyaProvider<Call>(session: .trusting(servers))
        let call = Call(
            baseURL: servers.nginxTLS, path: "/consume", method: .post,
            task: .requestCompositeData(bodyData: Data(count: 300_000), urlParameters: ["m": mark]))
        #expect(try await provider.request(call).mapString(atKeyPath: "length") == "300000")
        #expect(try await servers.accessLog.entries(marked: mark, count: 1).first?.httpVersion == "HTTP/2.0")
    }
}
