import Foundation
import Moya
import MoyaTesting
import Testing

/// An uncallable target ends with a separate error.
@Suite struct BadInputTests {
    private let nowhere = URL(fileURLWithPath: "/nowhere/at/all")

    @Test func anUnparsableURLIsARequestMapping() async throws {
        let provider = MoyaProvider<AnyTarget>(endpointClosure: { target in
            Endpoint(
                url: "some invalid URL", sampleResponseClosure: { .networkResponse(200, Data()) },
                method: target.method, task: target.task, httpHeaderFields: nil)
        })
        let error = await #expect(throws: MoyaError.self) { try await provider.request(AnyTarget(baseURL: nowhere)) }
        guard case .requestMapping("some invalid URL")? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["file:///etc/hostname", "gopher://localhost/", "data:text/plain,x", "ftp://localhost/"])
    func aSchemeThatIsNotHTTPIsRefused(url: String) async throws {
        let error = await failure(of: AnyTarget(baseURL: try #require(URL(string: url))))
        guard case .urlRequestValidationFailed(.unsupportedScheme)? = error?.sessionError else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aHostThatDoesNotResolveIsAFailureOfDNS() async throws {
        let error = await failure(of: AnyTarget(baseURL: try #require(URL(string: "http://nobody.invalid"))))
        #expect(error?.wireKind == .dns)
    }

    @Test func aRefusedPortIsAFailureToConnect() async throws {
        // Port 1 is unused; the port of a server that has stopped may be another's by now.
        let error = await failure(of: AnyTarget(baseURL: try #require(URL(string: "http://127.0.0.1:1"))))
        #expect(error?.wireKind == .connect)
    }

    @Test(arguments: ["X\r\nInjected", "X Y", "", "X:"])
    func aHeaderNameThatIsNoTokenIsRefused(name: String) async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let error = await failure(of: AnyTarget(baseURL: server.url, headers: [name: "value"]))
        guard case .urlRequestValidationFailed(.invalidHeaderField)? = error?.sessionError else {
            // Foundation leaves out a field without a name.
            #expect(name.isEmpty && error == nil, "\(String(describing: error))")
            return
        }
        #expect(server.requestCount == 0)
    }

    @Test(arguments: ["a\r\nX-Injected: b", "a\nb", "a\0b"])
    func aHeaderValueWithALineBreakIsRefused(value: String) async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let error = await failure(of: AnyTarget(baseURL: server.url, headers: ["X-Name": value]))
        guard case .urlRequestValidationFailed(.invalidHeaderField("X-Name"))? = error?.sessionError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(server.requestCount == 0)
    }

    @Test func aMethodThatIsNoTokenIsRefused() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let method = Moya.Method(rawValue: "GET /x HTTP/1.1\r\n")
        let error = await failure(of: AnyTarget(baseURL: server.url, method: method))
        guard case .urlRequestValidationFailed(.invalidMethod)? = error?.sessionError else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aBodyThatCannotBeEncodedIsAnEncodableMapping() async throws {
        let task = RequestTask.requestJSONEncodable(Double.infinity)
        let error = await failure(of: AnyTarget(baseURL: nowhere, method: .post, task: task))
        guard case .encodableMapping? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func parametersThatAreNoJSONAreAParameterEncoding() async throws {
        let task = RequestTask.requestParameters(parameters: ["x": Double.nan], encoding: JSONEncoding.default)
        let error = await failure(of: AnyTarget(baseURL: nowhere, method: .post, task: task))
        guard case .parameterEncoding(let cause)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.asAFError?.isParameterEncodingError == true)
    }

    @Test func aCompositeBodyEncodedIntoTheURLIsAParameterEncoding() async throws {
        let task = RequestTask.requestCompositeParameters(
            bodyParameters: [:], bodyEncoding: URLEncoding.queryString, urlParameters: [:])
        let error = await failure(of: AnyTarget(baseURL: nowhere, method: .post, task: task))
        guard case .parameterEncoding(TargetError.compositeEncodingNotInBody)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aGETWithABodyIsRefused() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let error = await failure(of: AnyTarget(baseURL: server.url, task: .requestData(Data("x".utf8))))
        guard case .urlRequestValidationFailed(.bodyDataInGETRequest)? = error?.sessionError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(server.requestCount == 0)
    }

    @Test func aMissingUploadFileIsRefusedByName() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let error = await failure(of: AnyTarget(baseURL: server.url, method: .post, task: .uploadFile(nowhere)))
        guard case .urlRequestValidationFailed(.uploadFileNotReadable(nowhere))? = error?.sessionError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.localizedDescription.contains(nowhere.path) == true)
    }

    @Test func aDirectoryAsUploadFileIsRefused() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let directory = try TestDirectory()
        let error = await failure(of: AnyTarget(baseURL: server.url, method: .post, task: .uploadFile(directory.url)))
        guard case .urlRequestValidationFailed(.uploadFileNotReadable)? = error?.sessionError else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aDownloadOntoAnExistingFileFailsAndLeavesItAlone() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "new") }
        let directory = try TestDirectory()
        let file = try directory.file("taken", Data("old".utf8))
        let task = RequestTask.downloadDestination { _, _ in (file, []) }
        let error = await failure(of: AnyTarget(baseURL: server.url, task: task))
        guard case .downloadedFileMoveFailed(_, let source, file)? = error?.sessionError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.response?.statusCode == 200)
        #expect(try Data(contentsOf: file) == Data("old".utf8))
        #expect(!FileManager.default.fileExists(atPath: source.path))
    }

    @Test func aDownloadDestinationThatCannotBeWrittenFails() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "new") }
        let task = RequestTask.downloadDestination { _, _ in (URL(fileURLWithPath: "/proc/nowhere/file"), []) }
        let error = await failure(of: AnyTarget(baseURL: server.url, task: task))
        #expect(error?.sessionError?.isDownloadedFileMoveError == true)
    }

    @Test func anEmptyMultipartIsRefused() async throws {
        let error = await failure(of: AnyTarget(baseURL: nowhere, method: .post, task: .uploadMultipart([])))
        guard case .underlying(TargetError.emptyMultipart, nil)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func onlyProcessRunsForAMultipartThatIsNotSent() async throws {
        let events = Recorder<String>()
        let provider = MoyaProvider<AnyTarget>(plugins: [RecordingPlugin(events: events)])
        _ = try? await provider.request(AnyTarget(baseURL: nowhere, method: .post, task: .uploadMultipart([])))
        #expect(events.values.last == "process" && !events.values.contains("didReceive"))
    }

    @Test func theMethodOfAMultipartIsThatOfItsRequest() async throws {
        let part = MultipartFormData(provider: .data(Data("x".utf8)), name: "a")
        let transport = StepwiseTransport.answering()
        let provider = MoyaProvider<API>(
            endpointClosure: { target in
                Endpoint(
                    url: URL(target: target).absoluteString, sampleResponseClosure: { .networkResponse(200, Data()) },
                    method: .post, task: .uploadMultipart([part]), httpHeaderFields: nil)
            }, session: Session(transport: transport))
        _ = try await provider.request(API())
        #expect(transport.requests.values.map(\.method) == ["POST"])
    }

    @Test func aMultipartWithGETIsRefused() async throws {
        let part = MultipartFormData(provider: .data(Data()), name: "a")
        let error = await failure(of: AnyTarget(baseURL: nowhere, task: .uploadMultipart([part])))
        guard case .underlying(TargetError.multipartMethod(.get), nil)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aMultipartPartWhoseFileIsMissingIsAnEncodingError() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let part = MultipartFormData(provider: .file(nowhere.appendingPathExtension("txt")), name: "a")
        let error = await failure(of: AnyTarget(baseURL: server.url, method: .post, task: .uploadMultipart([part])))
        #expect(error?.sessionError?.isMultipartEncodingError == true)
        #expect(server.requestCount == 0)
    }

    @Test func malformedJSONIsAnObjectMappingWithTheResponse() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "{\"a\":") }
        let provider = MoyaProvider<AnyTarget>()
        let error = await #expect(throws: MoyaError.self) {
            try await provider.request(AnyTarget(baseURL: server.url), as: [String: Int].self)
        }
        guard case .objectMapping(_, let response)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.statusCode == 200)
    }

    @Test func aKeyPathThatLeadsNowhereIsAJSONMapping() async throws {
        let server = try await LoopbackServer { try await $0.respond(body: "{\"a\":1}") }
        let error = await #expect(throws: MoyaError.self) {
            try await MoyaProvider<AnyTarget>().request(AnyTarget(baseURL: server.url), as: Int.self, atKeyPath: "b.c")
        }
        guard case .jsonMapping? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
