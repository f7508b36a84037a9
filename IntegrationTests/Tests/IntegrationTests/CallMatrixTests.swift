import Foundation
import Moya
import MoyaSession
import Testing

/// Every kind of call, in every way that nginx can be spoken to.
@Suite(.needsServers, .timeLimit(.minutes(2)))
struct CallMatrixTests {
    /// The kind of call.
    enum Kind: String, CaseIterable, Sendable { case get, post, fileUpload, fileDownload, streamedUpload, cancel }

    /// A server and the version of HTTP that is spoken with it.
    struct Way: Sendable, CustomTestStringConvertible {
        enum Server: String, CaseIterable, Sendable { case plain, tls12, tls13, clients }
        let server: Server
        let isHTTP2: Bool

        static let all = Server.allCases.flatMap { server in
            (server == .plain ? [false] : [false, true]).map { Way(server: server, isHTTP2: $0) }
        }

        var testDescription: String { "\(server.rawValue), HTTP/\(isHTTP2 ? "2" : "1.1")" }
        var httpVersion: String { isHTTP2 ? "HTTP/2.0" : "HTTP/1.1" }
        var tlsVersion: String {
            switch server {
            case .plain: "-"
            case .tls12: "TLSv1.2"
            case .tls13, .clients: "TLSv1.3"
            }
        }
    }

    let servers: Servers
    /// A body of many frames, no two of them alike.
    private let body = Data((0..<300_000).flatMap { withUnsafeBytes(of: UInt32($0).bigEndian, Array.init) })

    init() throws { servers = try #require(Servers.running) }

    // MARK: The matrix

    @Test(arguments: Way.all, Kind.allCases)
    func aCallOfEveryKindSucceeds(way: Way, kind: Kind) async throws {
        let mark = uniqueMark()
        let session = try session(way, identity: way.server == .clients ? "client" : nil)
        try await withTemporaryDirectory { directory in
            switch kind {
            case .cancel: try await cancelOne(of: way, mark, session)
            default: try await expectSuccess(of: kind, way, mark, session, directory)
            }
        }
        let entries = try await servers.accessLog.entries(marked: mark, count: 1)
        #expect(!entries.isEmpty)
        #expect(Set(entries.map(\.httpVersion)) == [way.httpVersion])
        #expect(Set(entries.map(\.tlsVersion)) == [way.tlsVersion])
    }

    @Test(arguments: [nil, "foreign-client"], Kind.allCases.filter { $0 != .cancel })
    func unknownClientIsRefusedInEveryKindOfCall(identity: String?, kind: Kind) async throws {
        for isHTTP2 in [false, true] {
            let way = Way(server: .clients, isHTTP2: isHTTP2)
            let session = try session(way, identity: identity)
            try await withTemporaryDirectory { directory in
                let response = try await response(to: kind, way, uniqueMark(), session, directory)
                #expect(response.status == 400, "\(way.testDescription)")
                #expect(String(decoding: response.data, as: UTF8.self).contains("certificate"))
            }
        }
    }

    // MARK: Parts

    private func expectSuccess(
        of kind: Kind, _ way: Way, _ mark: String, _ session: Session, _ directory: URL
    ) async throws {
        let kept = servers.uploads.appendingPathComponent(mark)
        if kind == .fileDownload { try body.write(to: kept) }
        let response = try await response(to: kind, way, mark, session, directory)
        switch kind {
        case .get: #expect(response.data.count == 196)
        case .post: #expect(String(decoding: response.data, as: UTF8.self).contains("\"\(body.count)\""))
        case .fileDownload: #expect(response.data == body)
        case .fileUpload, .streamedUpload: #expect(try Data(contentsOf: kept) == body)
        case .cancel: break
        }
        #expect(response.status == (kind == .fileUpload || kind == .streamedUpload ? 201 : 200))
    }

    private func response(
        to kind: Kind, _ way: Way, _ mark: String, _ session: Session, _ directory: URL
    ) async throws -> (status: Int, data: Data) {
        let provider = MoyaProvider<Call>(session: session)
        let base = base(way.server)
        switch kind {
        case .post:
            let call = Call(
                baseURL: base, path: "/consume", method: .post,
                task: .requestCompositeData(bodyData: body, urlParameters: ["m": mark]))
            return parts(try await provider.request(call))
        case .fileUpload:
            let file = directory.appendingPathComponent("body")
            try body.write(to: file)
            let call = Call(baseURL: base, path: "/uploads/\(mark)", method: .put, task: .uploadFile(file))
            return parts(try await provider.request(call))
        case .fileDownload:
            let file = directory.appendingPathComponent("body")
            let call = Call(
                baseURL: base, path: "/uploads/\(mark)", task: .downloadDestination { _, _ in (file, []) })
            let response = try await provider.request(call)
            return (response.statusCode, try Data(contentsOf: file))
        case .streamedUpload:
            let url = base.appendingPathComponent("uploads/\(mark)")
            let response = await session.upload(InputStream(data: body), to: url, method: .put).outcome()
            return (try #require(response.response, "\(response)").statusCode, response.data ?? Data())
        case .get, .cancel:
            return parts(try await provider.request(.get(base, "/static/small.json", query: ["m": mark])))
        }
    }

    private func parts(_ response: Response) -> (status: Int, data: Data) { (response.statusCode, response.data) }

    /// Cancels a response in flight, three times; over HTTP/2 its connection carries a later call.
    ///
    /// Not each time: libcurl 7.88 treats a connection as dead if it finds a part of a TLS record on it, and the server
    /// may still be sending the cancelled response.
    private func cancelOne(of way: Way, _ mark: String, _ session: Session) async throws {
        let url = base(way.server)
        var reuses: [Bool?] = []
        for _ in 1...3 {
            let request = session.request(url.appendingPathComponent("slow/large.bin"), parameters: ["m": mark])
            let end = await request.outcomeOnceUnderWay()
            request.cancel()
            #expect(await end.value.error?.isExplicitlyCancelledError == true)
            let next = await session.request(
                url.appendingPathComponent("static/small.json"), parameters: ["m": mark]
            ).outcome()
            #expect(next.response?.statusCode == 200)
            reuses.append(next.metrics?.reusedConnection)
        }
        #expect(way.isHTTP2 ? reuses.contains(true) : reuses == [false, false, false])
    }

    private func base(_ server: Way.Server) -> URL {
        switch server {
        case .plain: servers.nginx
        case .tls12: servers.nginxTLS12
        case .tls13: servers.nginxTLS13
        case .clients: servers.nginxForClients
        }
    }

    private func session(_ way: Way, identity: String?) throws -> Session {
        let directory = servers.trustCertificates.appendingPathComponent("clients")
        return Session.with(
            TransportConfiguration(
                certificateAuthorities: .file(servers.certificateAuthority),
                httpVersions: way.isHTTP2 ? .http2WhereOffered : .http1Only,
                clientIdentity: try identity.map {
                    try .pem(
                        certificateChainFile: directory.appendingPathComponent("\($0).pem"),
                        privateKeyFile: directory.appendingPathComponent("\($0).key"))
                }))
    }
}
