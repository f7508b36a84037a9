import Foundation
import Moya
import Testing

/// httpbin parses the form and reports its contents.
@Suite(.needsServers)
struct MultipartTests {
    let servers: Servers
    let provider = MoyaProvider<Call>()

    init() throws { servers = try #require(Servers.running) }

    @Test func everyPartIsEchoedBack() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("notes.txt")
            try Data("from a file".utf8).write(to: file)
            let stream = Data("from a stream".utf8)
            let echo = try await post([
                MultipartFormData(provider: .data(Data("Ole".utf8)), name: "name"),
                MultipartFormData(
                    provider: .data(Data("in memory".utf8)), name: "memory", fileName: "m.txt", mimeType: "text/plain"),
                MultipartFormData(
                    provider: .file(file), name: "file", fileName: "notes.txt", mimeType: "text/plain"),
                MultipartFormData(
                    provider: .stream(InputStream(data: stream), UInt64(stream.count)), name: "stream",
                    fileName: "s.txt", mimeType: "text/plain"),
            ])
            #expect(echo.form == ["name": "Ole"])
            #expect(echo.files == ["memory": "in memory", "file": "from a file", "stream": "from a stream"])
            #expect(echo.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        }
    }

    @Test func aQueryGoesBesideTheParts() async throws {
        let call = Call(
            baseURL: servers.httpbin, path: "/post", method: .post,
            task: .uploadCompositeMultipart(
                [MultipartFormData(provider: .data(Data("1".utf8)), name: "one")], urlParameters: ["page": 2]))
        let echo = try await provider.request(call, as: Echo.self)
        #expect(echo.form == ["one": "1"])
        #expect(echo.args == ["page": "2"])
    }

    @Test func twoPartsOfOneNameBothArrive() async throws {
        let echo = try await post([
            MultipartFormData(provider: .data(Data("red".utf8)), name: "tag"),
            MultipartFormData(provider: .data(Data("blue".utf8)), name: "tag"),
        ])
        #expect(echo.form == ["tag": ["red", "blue"]])
    }

    @Test func bytesOfEveryValueSurvive() async throws {
        let bytes = Data((0...255).map { UInt8($0) })
        let echo = try await post([
            MultipartFormData(
                provider: .data(bytes), name: "bytes", fileName: "b", mimeType: "application/octet-stream")
        ])
        guard case .one(let text)? = echo.files["bytes"] else { throw MissingPart() }
        let prefix = "data:application/octet-stream;base64,"
        #expect(text.hasPrefix(prefix))
        #expect(Data(base64Encoded: String(text.dropFirst(prefix.count))) == bytes)
    }

    @Test func aFormTooLargeForMemoryArrivesWhole() async throws {
        // Above the 10,000,000 bytes up to which a form is put together in memory.
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("large.txt")
            let text = (0..<1_100_000).map { "line \($0)\n" }.joined()
            try Data(text.utf8).write(to: file)
            let echo = try await post([
                MultipartFormData(
                    provider: .file(file), name: "large", fileName: "large.txt", mimeType: "text/plain"),
                MultipartFormData(provider: .data(Data("end".utf8)), name: "after"),
            ])
            #expect(text.utf8.count > 10_000_000)
            #expect(echo.files["large"] == .one(text))
            #expect(echo.form == ["after": "end"])
        }
    }

    private func post(_ parts: [MultipartFormData]) async throws -> Echo {
        let call = Call(baseURL: servers.httpbin, path: "/post", method: .post, task: .uploadMultipart(parts))
        return try await provider.request(call, as: Echo.self)
    }

    private struct MissingPart: Error {}
}
