import Foundation
import Moya
import MoyaSession
import MoyaTesting
import Testing

/// The request that each task makes of a session.
@Suite struct SendingTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        "moya-sending-\(UUID().uuidString)")

    private func send(
        _ target: API, transport: StepwiseTransport = .answering()
    ) async -> (result: Result<Response, MoyaError>, requests: [HTTPRequest]) {
        let result = await MoyaProvider<API>(session: Session(transport: transport)).end(of: target)
        return (result, transport.requests.values)
    }

    private func file(_ text: String, _ name: String = "file.txt") throws -> URL {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let file = directory.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file
    }

    private func clean() { try? FileManager.default.removeItem(at: directory) }

    private func part(_ provider: MultipartFormData.FormDataProvider, fileName: String? = nil, mimeType: String? = nil)
        -> MultipartFormData
    {
        MultipartFormData(provider: provider, name: "n", fileName: fileName, mimeType: mimeType)
    }

    /// The encoded form of a part.
    private func form(_ part: MultipartFormData) async -> String {
        let sent = await send(API(method: .post, task: .uploadMultipart([part])))
        guard case .data(let body) = sent.requests.first?.body else {
            Issue.record("\(sent)")
            return ""
        }
        return String(decoding: body, as: UTF8.self)
    }

    // MARK: Data

    @Test func dataIsSentAsTheBody() async {
        let sent = await send(API(method: .post, task: .requestData(Data("body".utf8))))
        guard case .data(let body) = sent.requests.first?.body else {
            Issue.record("\(sent)")
            return
        }
        #expect(body == Data("body".utf8))
    }

    @Test func plainTaskSendsNoBody() async {
        let sent = await send(API())
        guard case .some(.none) = sent.requests.first?.body else {
            Issue.record("\(sent)")
            return
        }
    }

    // MARK: Files

    @Test func fileIsSentFromItsPlaceWithoutAContentType() async throws {
        let file = try file("four")
        defer { clean() }
        let sent = await send(API(method: .put, task: .uploadFile(file)))
        guard case .file(let url, 4) = sent.requests.first?.body else {
            Issue.record("\(sent)")
            return
        }
        #expect(url == file)
        #expect(sent.requests.first?.fields.contains { $0.name.lowercased() == "content-type" } == false)
    }

    @Test func missingFileIsAnErrorAndNothingIsSent() async {
        let sent = await send(API(method: .put, task: .uploadFile(directory.appendingPathComponent("missing"))))
        #expect(sent.result.error?.underlyingError is SessionError)
        #expect(sent.requests.isEmpty)
    }

    @Test func directoryIsNotUploaded() async {
        let sent = await send(API(method: .put, task: .uploadFile(FileManager.default.temporaryDirectory)))
        #expect(sent.result.error != nil)
        #expect(sent.requests.isEmpty)
    }

    // MARK: Forms

    @Test func contentTypeOfAFormReplacesThatOfTheTarget() async {
        let target = API(
            method: .post, task: .uploadMultipart([part(.data(Data("a".utf8)))]),
            headers: ["Content-Type": "application/json"])
        let types = await send(target).requests.first?.fields.filter { $0.name.lowercased() == "content-type" }
        #expect(types?.count == 1)
        #expect(types?.first?.value.hasPrefix("multipart/form-data; boundary=") == true)
    }

    @Test func contentTypeOfAFormIsThereWhenPluginsPrepare() async {
        let seen = Recorder<String?>()
        let plugin = RecordingPlugin(onPrepare: { request in
            seen.append(request.value(forHTTPHeaderField: "Content-Type"))
            return request
        })
        let provider = MoyaProvider<API>(session: Session(transport: StepwiseTransport.answering()), plugins: [plugin])
        _ = await provider.end(of: API(method: .post, task: .uploadMultipart([part(.data(Data("a".utf8)))])))
        #expect(seen.values.first??.hasPrefix("multipart/form-data; boundary=") == true)
    }

    @Test func partOfDataHasOnlyTheGivenProperties() async {
        let form = await form(part(.data(Data("bytes".utf8))))
        #expect(form.contains("Content-Disposition: form-data; name=\"n\"\r\n\r\nbytes\r\n--"))
    }

    @Test func partOfDataMayHaveAFileNameAlone() async {
        let form = await form(part(.data(Data("bytes".utf8)), fileName: "f"))
        #expect(form.contains("form-data; name=\"n\"; filename=\"f\"\r\n\r\nbytes"))
    }

    @Test func partOfDataMayHaveATypeAlone() async {
        let form = await form(part(.data(Data("bytes".utf8)), mimeType: "a/b"))
        #expect(form.contains("form-data; name=\"n\"\r\nContent-Type: a/b\r\n\r\nbytes"))
    }

    @Test func partOfAFileUsesNameAndTypeWhenBothAreGiven() async throws {
        let file = try file("bytes")
        defer { clean() }
        let form = await form(part(.file(file), fileName: "f", mimeType: "a/b"))
        #expect(form.contains("filename=\"f\"\r\nContent-Type: a/b\r\n\r\nbytes"))
    }

    @Test(arguments: [("f", nil), (nil, "a/b"), (nil, nil)] as [(String?, String?)])
    func partOfAFileUsesItsOwnNameUnlessBothAreGiven(_ fileName: String?, _ mimeType: String?) async throws {
        let file = try file("bytes")
        defer { clean() }
        let form = await form(part(.file(file), fileName: fileName, mimeType: mimeType))
        #expect(form.contains("filename=\"file.txt\""))
        #expect(!form.contains("a/b") && !form.contains("filename=\"f\""))
    }

    @Test func partOfAStreamHasEmptyNamesWhenTheyAreMissing() async {
        let form = await form(part(.stream(InputStream(data: Data("bytes".utf8)), 5)))
        #expect(form.contains("filename=\"\"\r\nContent-Type: \r\n\r\nbytes"))
    }

    @Test func partThatCannotBeEncodedIsAMultipartError() async {
        let missing = directory.appendingPathComponent("missing.txt")
        let sent = await send(API(method: .post, task: .uploadMultipart([part(.file(missing))])))
        guard case .underlying(let error, nil) = sent.result.error,
            case .multipartEncodingFailed = error as? SessionError
        else {
            Issue.record("\(sent)")
            return
        }
        #expect(sent.requests.isEmpty)
    }

    /// Moya stops the program here.
    @Test(arguments: [false, true]) func emptyFormIsADescribedError(_ isComposite: Bool) async {
        let task: RequestTask = isComposite ? .uploadCompositeMultipart([], urlParameters: [:]) : .uploadMultipart([])
        let sent = await send(API(method: .post, task: task))
        #expect(sent.result.error?.localizedDescription.contains("no parts") == true)
        #expect(sent.requests.isEmpty)
    }

    /// Moya stops the program here.
    @Test(arguments: [Moya.Method.get, .delete]) func methodThatSendsNoFormIsADescribedError(_ method: Moya.Method)
        async
    {
        let sent = await send(API(method: method, task: .uploadMultipart([part(.data(Data()))])))
        #expect(
            sent.result.error?.localizedDescription.contains("\(method.rawValue) does not send a multipart form")
                == true)
        #expect(sent.requests.isEmpty)
    }

    @Test func stubbedFormIsNotEncoded() async {
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
        #expect(await provider.end(of: API(method: .get, task: .uploadMultipart([]))).response != nil)
    }

    // MARK: Downloads

    private func download(
        to target: URL, options: DownloadRequest.Options = [], status: Int = 200, validation: ValidationType = .none
    ) async -> Result<Response, MoyaError> {
        await send(
            API(task: .downloadDestination { _, _ in (target, options) }, validationType: validation),
            transport: .answering(status)
        ).result
    }

    @Test func downloadIsMovedToItsDestination() async throws {
        defer { clean() }
        let target = directory.appendingPathComponent("a/b")
        let result = await download(to: target, options: .createIntermediateDirectories)
        #expect(result.response?.statusCode == 200)
        #expect(try String(contentsOf: target, encoding: .utf8) == "answer")
    }

    @Test func downloadHasNoData() async {
        defer { clean() }
        let result = await download(to: directory.appendingPathComponent("a"), options: .createIntermediateDirectories)
        #expect(result.response?.data == Data())
    }

    @Test func downloadReplacesAFileWhenItMay() async throws {
        let target = try file("old")
        defer { clean() }
        _ = await download(to: target, options: .removePreviousFile)
        #expect(try String(contentsOf: target, encoding: .utf8) == "answer")
    }

    @Test func downloadKeepsAFileThatItMayNotReplace() async throws {
        let target = try file("old")
        defer { clean() }
        let result = await download(to: target)
        guard case .underlying(let error, let response?) = result.error,
            case .downloadedFileMoveFailed(_, _, target) = error as? SessionError
        else {
            Issue.record("\(result)")
            return
        }
        #expect(response.statusCode == 200)
        #expect(try String(contentsOf: target, encoding: .utf8) == "old")
    }

    @Test func downloadOfAnErrorStatusIsMovedBeforeItIsValidated() async throws {
        defer { clean() }
        let target = directory.appendingPathComponent("a")
        let result = await download(
            to: target, options: .createIntermediateDirectories, status: 404, validation: .successCodes)
        #expect(result.error?.response?.statusCode == 404)
        #expect(try String(contentsOf: target, encoding: .utf8) == "answer")
    }

    @Test func stubbedDownloadNeedsNoDestination() async {
        let asked = Recorder<Void>()
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
        let task = RequestTask.downloadDestination { temporary, _ in
            asked.append(())
            return (temporary, [])
        }
        #expect(await provider.end(of: API(task: task)).response?.statusCode == 200)
        #expect(asked.count == 0)
    }
}
