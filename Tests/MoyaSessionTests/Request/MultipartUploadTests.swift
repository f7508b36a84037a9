import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct MultipartUploadTests {
    private func form(streaming text: String? = nil) -> RequestMultipartFormData {
        let form = RequestMultipartFormData(boundary: "B")
        form.append(Data("x".utf8), withName: "n")
        if let text { form.append(InputStream(data: Data(text.utf8)), name: "s", fileName: "f", mimeType: "a/b") }
        return form
    }

    private func body(_ form: RequestMultipartFormData, threshold: UInt64) async throws -> (
        TransportBody, UploadRequest
    ) {
        let transport = ScriptedTransport(.response(200))
        let request = Session.over(transport).upload(
            multipartFormData: form, with: URLRequest.to("http://a.example/", method: "POST"),
            usingThreshold: threshold)
        #expect(await request.outcome().error == nil)
        return (try #require(transport.requests.first).body, request)
    }

    @Test func formBelowTheThresholdIsSentFromMemory() async throws {
        let (body, request) = try await body(form(), threshold: .max)
        guard case .data = body, case .data? = request.uploadable else {
            Issue.record("\(body)")
            return
        }
    }

    @Test func formAboveTheThresholdIsSentFromAFileThatGoesWithTheRequest() async throws {
        var sent: URL?
        do {
            let (body, request) = try await body(form(), threshold: 0)
            guard case .file(let url, let length) = body, case .file(url, shouldRemove: true)? = request.uploadable
            else {
                Issue.record("\(body)")
                return
            }
            #expect(length == Int64(try form().encode().count))
            sent = url
        }
        #expect(FileManager.default.fileExists(atPath: try #require(sent).path) == false)
    }

    @Test(arguments: [0, UInt64.max]) func streamOfUnknownLengthIsSentAsItIsReadWhateverTheThreshold(
        threshold: UInt64
    ) async throws {
        let (body, request) = try await body(form(streaming: "abc"), threshold: threshold)
        guard case .stream(let reader, length: nil) = body, request.uploadable == nil else {
            Issue.record("\(body)")
            return
        }
        #expect(try read(reader) == form(streaming: "abc").encode())
    }

    @Test func formIsReadAgainOnlyUntilItsStreamIsBegun() throws {
        let upload = MultipartUpload(form: form(streaming: "abc"), threshold: 0)
        guard case .stream(let reader) = try upload.encoded(), case .stream = try upload.encoded() else {
            Issue.record("no stream")
            return
        }
        #expect(upload.canBeSentAgain)
        _ = try read(reader)
        #expect(!upload.canBeSentAgain)
        guard case .inputStreamReadFailed(let error)? = multipartReason({ try upload.encoded() }) else {
            Issue.record("no error")
            return
        }
        #expect(error is MultipartStreamIsSpent)
    }

    // MARK: Over a socket

    @Test func formWithAStreamOfUnknownLengthArrivesWhole() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: $0.body()) }
        let text = String(repeating: "0123456789abcdef", count: 20_000)
        let outcome = await Session(startRequestsImmediately: false).upload(
            multipartFormData: form(streaming: text), with: URLRequest.to(server.url.absoluteString, method: "POST")
        ).outcome()
        #expect(try outcome.data == form(streaming: text).encode())
    }

    #if os(Linux)
    @Test func whatAStreamHoldsIsSentBeforeItHasMore() async throws {
        let directory = try TemporaryDirectory()
        let pipe = directory.url.appendingPathComponent("pipe").path
        try #require(mkfifo(pipe, 0o600) == 0)
        // For reading too: opening a pipe for writing alone waits for a reader.
        let end = FileHandle(fileDescriptor: open(pipe, O_RDWR | O_CLOEXEC), closeOnDealloc: true)
        try end.write(contentsOf: Data("first".utf8))
        let server = try await LoopbackServer { exchange in
            var body = Data()
            while body.range(of: Data("first".utf8)) == nil {
                guard let bytes = try await exchange.readBody(atMost: 1024) else { break }
                body += bytes
            }
            try end.write(contentsOf: Data("second".utf8))
            try end.close()
            try await exchange.respond(body: body + exchange.body())
        }
        let form = form()
        form.append(try #require(InputStream(fileAtPath: pipe)), headers: ["X-A": "1"])
        let outcome = await Session(startRequestsImmediately: false).upload(
            multipartFormData: form, with: URLRequest.to(server.url.absoluteString, method: "POST")
        ).outcome()
        #expect(String(decoding: outcome.data ?? Data(), as: UTF8.self).hasSuffix("\r\n\r\nfirstsecond\r\n--B--\r\n"))
    }
    #endif

    private func read(_ reader: any TransportBodyReader) throws -> Data {
        var data = Data()
        try reader.readAll(by: 100) { data.append(contentsOf: $0) }
        return data
    }
}
