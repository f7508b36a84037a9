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
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        let request = session.upload(
            multipartFormData: form, with: URLRequest.to("http://a.example/", method: "POST"),
            usingThreshold: threshold)
        #expect(await request.outcome().error == nil)
        return (try #require(transport.requests.first).body, request)
    }

    @Test func contentTypeThatWasSetIsSent() async throws {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        let form = form()
        form.contentType = "multipart/mixed; boundary=B"
        let request = session.upload(multipartFormData: form, with: URLRequest.to("http://a.example/", method: "POST"))
        #expect(await request.outcome().error == nil)
        let fields = try #require(transport.requests.first).fields
        #expect(fields.values(for: "content-type").first == "multipart/mixed; boundary=B")
    }

    @Test func formBelowTheThresholdIsSentFromMemory() async throws {
        let (body, request) = try await body(form(), threshold: .max)
        guard case .data = body, case .data? = request.uploadable else {
            Issue.record("\(body)")
            return
        }
    }

    @Test func formAboveTheThresholdIsSentFromAFileRemovedWithTheRequest() async throws {
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

    @Test(arguments: [307, 308])
    func aRedirectOfAStreamOfUnknownLengthIsAnError(status: Int) async throws {
        let server = try await LoopbackServer { exchange in
            _ = try await exchange.body()
            try await exchange.respond(status, ["Location": "/next"])
        }
        let session = Session.onTheWire()
        let request = session.upload(multipartFormData: form(streaming: "abc"), to: server.url)
        #expect(await request.outcome().error?.underlyingError is MultipartStreamIsSpent)
        #expect(server.requestCount == 1)
    }

    @Test(arguments: [0, UInt64.max]) func streamOfUnknownLengthIsSentAsItIsReadForAnyThreshold(
        threshold: UInt64
    ) async throws {
        let (body, request) = try await body(form(streaming: "abc"), threshold: threshold)
        guard case .stream(let reader, length: nil) = body, request.uploadable == nil else {
            Issue.record("\(body)")
            return
        }
        #expect(try await reader.readToEnd() == form(streaming: "abc").encode())
    }

    @Test func formIsReadAgainOnlyUntilItsStreamIsBegun() async throws {
        let upload = MultipartUpload(form: form(streaming: "abc"), threshold: 0)
        guard case .stream(let reader) = try upload.encoded(), case .stream = try upload.encoded() else {
            Issue.record("no stream")
            return
        }
        _ = try await reader.readToEnd()
        guard case .inputStreamReadFailed(let error)? = multipartReason({ try upload.encoded() }) else {
            Issue.record("no error")
            return
        }
        #expect(error is MultipartStreamIsSpent)
    }
}
