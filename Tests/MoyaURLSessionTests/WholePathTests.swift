import Foundation
import Moya
import MoyaTesting
import MoyaURLSession
import Testing

/// Providers and sessions over this wire, from the target to the socket.
@Suite struct WholePathTests {
    private static func provider(_ session: Session = session()) -> MoyaProvider<URLTarget> {
        MoyaProvider<URLTarget>(session: session)
    }

    private static func session(timeouts: Deadlines = Deadlines()) -> Session {
        Session(startRequestsImmediately: false, timeouts: timeouts, transport: URLSessionTransport())
    }

    private static func failure(of target: URLTarget, _ session: Session = session()) async -> MoyaError? {
        do throws(MoyaError) {
            _ = try await provider(session).request(target)
            return nil
        } catch {
            return error
        }
    }

    @Test func aGetIsAnswered() async throws {
        let server = try await LoopbackServer { try await $0.respond(201, ["X-A": "b"], body: $0.request.target) }
        let response = try await Self.provider().request(
            URLTarget(baseURL: server.url, path: "/a", headers: ["X-Asked": "yes"]))
        #expect(response.statusCode == 201)
        #expect(response.data == Data("/a".utf8))
        #expect(response.response?.value(forHTTPHeaderField: "x-a") == "b")
        #expect(server.requests.first?.fields["x-asked"] == "yes")
    }

    @Test func aPostSendsItsParameters() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: try await $0.body()) }
        let task = RequestTask.requestParameters(parameters: ["a": 1], encoding: JSONEncoding.default)
        let response = try await Self.provider().request(URLTarget(baseURL: server.url, method: .post, task: task))
        #expect(response.data == Data(#"{"a":1}"#.utf8))
        #expect(server.requests.first?.fields["content-type"] == "application/json")
    }

    @Test func aFileAndAFormAreUploadedWhole() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "\(try await $0.discardBody())") }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(UUID().uuidString)")
        try Data(count: 3_000_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let uploaded = try await Self.provider().request(
            URLTarget(baseURL: server.url, method: .post, task: .uploadFile(file)))
        #expect(uploaded.data == Data("3000000".utf8))
        let part = MultipartFormData(provider: .file(file), name: "a", fileName: "a", mimeType: "a/b")
        let form = try await Self.provider().request(
            URLTarget(baseURL: server.url, method: .post, task: .uploadMultipart([part])))
        #expect(Int(String(decoding: form.data, as: UTF8.self)) ?? 0 > 3_000_000)
    }

    @Test func aDownloadArrivesAtItsDestination() async throws {
        let body = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let server = try await LoopbackServer { try await $0.respond(body: body) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("download-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let task = RequestTask.downloadDestination { _, _ in (file, []) }
        _ = try await Self.provider().request(URLTarget(baseURL: server.url, task: task))
        #expect(try Data(contentsOf: file) == body)
    }

    @Test func cancelledCallEndsAsCancelledAndClosesItsConnection() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let provider = Self.provider()
        let target = URLTarget(baseURL: server.url)
        let call = _Concurrency.Task { () -> MoyaError? in
            do throws(MoyaError) {
                _ = try await provider.request(target)
                return nil
            } catch {
                return error
            }
        }
        try await server.waitUntil { $0.requestCount == 1 }
        call.cancel()
        #expect(await call.value?.sessionError?.isExplicitlyCancelledError == true)
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    @Test func aSilentServerExceedsTheTimeout() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let session = Self.session(timeouts: Deadlines(idle: .milliseconds(200)))
        let failure = await Self.failure(of: URLTarget(baseURL: server.url), session)
        #expect(failure?.wireKind == .timeout(.idle))
    }

    @Test func aConnectTimeoutAloneIsRefusedByName() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let session = Self.session(timeouts: Deadlines(connect: .seconds(5)))
        let failure = await Self.failure(of: URLTarget(baseURL: server.url), session)
        #expect(failure?.wireKind == .unsupported)
        #expect(failure?.sessionError?.transportFailure?.message.contains("timeouts.connect") == true)
    }

    @Test func gzipIsRemoved() async throws {
        let coded = try #require(
            Data(base64Encoded: "H4sIAAAAAAACAyvJSFUoTsxNVUiqLEkt1lEoIZGfmJeikJevkA8ULyoGADbdewFNAAAA"))
        let server = try await LoopbackServer { try await $0.respond(200, ["Content-Encoding": "gzip"], body: coded) }
        let text = try await Self.provider().request(URLTarget(baseURL: server.url)).mapString()
        #expect(text.hasPrefix("the same bytes, "))
        #expect(server.requests.first?.fields["accept-encoding"]?.contains("gzip") == true)
    }

    @Test func aRedirectIsFollowedByTheSession() async throws {
        let server = try await LoopbackServer { exchange in
            guard exchange.request.path == "/new" else {
                return try await exchange.respond(307, ["Location": "/new"], body: "elsewhere")
            }
            try await exchange.respond(body: try await exchange.body())
        }
        let response = try await Self.provider().request(
            URLTarget(baseURL: server.url, path: "/old", method: .post, task: .requestData(Data("kept".utf8))))
        // Foundation itself would have dropped the body.
        #expect(response.data == Data("kept".utf8))
        #expect(server.requests.map(\.path) == ["/old", "/new"])
    }

    @Test func theSessionsCredentialAnswersAChallenge() async throws {
        let server = try await LoopbackServer { exchange in
            guard exchange.request.fields["Authorization"] != nil else {
                return try await exchange.respond(401, ["WWW-Authenticate": "Basic realm=\"a\""], body: "who?")
            }
            try await exchange.respond(body: "you")
        }
        let plain = try await Self.provider().request(URLTarget(baseURL: server.url))
        #expect(plain.statusCode == 401)
        #expect(plain.data == Data("who?".utf8))
        let session = Self.session()
        let answered = await withCheckedContinuation { continuation in
            session.request(server.url).authenticate(username: "a", password: "b")
                .response(queue: .global()) { continuation.resume(returning: $0) }
                .resume()
        }
        #expect(answered.data == Data("you".utf8))
    }

    @Test func aReleasedSessionEndsItsRequestsAndClosesItsConnections() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        var session: Session? = Self.session()
        let request = session?.request(server.url)
        async let answer = withCheckedContinuation { continuation in
            _ = request?.response(queue: .global()) { continuation.resume(returning: $0.error) }.resume()
        }
        try await server.waitUntil { $0.requestCount == 1 }
        session = nil
        #expect(await answer?.isSessionDeinitializedError == true)
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }
}
