import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct UploadRequestTests {
    private static let url = "http://a.example/"

    private func echo() async throws -> LoopbackServer {
        try await LoopbackServer { exchange in
            let body = try await exchange.body()
            try await exchange.respond(200, [:], body: body)
        }
    }

    @Test func bytesArriveAsTheyWere() async throws {
        let server = try await echo()
        let data = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let session = Session.onTheWire()
        let upload = session.upload(data, to: server.url, headers: ["X-Own": "1"])
        #expect(await upload.outcome().data == data)
        #expect(server.requests[0].method == "POST")
        #expect(server.requests[0].fields["X-Own"] == "1")
        guard case .data(data)? = upload.uploadable else {
            Issue.record("\(String(describing: upload.uploadable))")
            return
        }
    }

    @Test func aFileArrivesAsItWas() async throws {
        let server = try await echo()
        let directory = try TestDirectory()
        let text = String(repeating: "0123456789", count: 20_000)
        let file = try directory.file("body", text)
        let session = Session.onTheWire()
        let upload = session.upload(file, to: server.url)
        #expect(await upload.outcome().data == Data(text.utf8))
        #expect(server.requests[0].fields["Content-Length"] == "200000")
        #expect(directory.names == ["body"])
    }

    @Test func bothProgressesReachOne() async throws {
        let server = try await echo()
        let directory = try TestDirectory()
        let text = String(repeating: "x", count: 500_000)
        let file = try directory.file("body", text)
        let session = Session.onTheWire()
        let queue = DispatchQueue(label: "org.moya.tests.progress")
        let forms = [UInt64.max, 0].map { threshold in
            session.upload(
                multipartFormData: { $0.append(file, withName: "file", fileName: "body", mimeType: "text/plain") },
                to: server.url, usingThreshold: threshold)
        }
        for upload in [session.upload(Data(text.utf8), to: server.url), session.upload(file, to: server.url)] + forms {
            let sent = Recorded<Double>()
            let received = Recorded<Double>()
            upload.uploadProgress(queue: queue) { sent.add($0.fractionCompleted) }
            upload.downloadProgress(queue: queue) { received.add($0.fractionCompleted) }
            #expect(await upload.outcome().error == nil)
            queue.sync {}
            #expect(sent.all.last == 1 && received.all.last == 1)
            #expect(sent.all == sent.all.sorted() && received.all == received.all.sorted())
        }
    }

    @Test func aSuspendedUploadIsSentToItsEnd() async throws {
        let gate = Gate()
        let server = try await LoopbackServer(.init(socketBuffer: 16_384)) { exchange in
            let first = try await exchange.readBody(exactly: 1_000)
            try await gate.wait()
            let rest = try await exchange.discardBody()
            try await exchange.respond(body: "\(first.count + rest)")
        }
        let session = Session.onTheWire()
        let upload = session.upload(Data(count: 8 << 20), to: server.url).resume()
        try await gate.waitForArrivals(1)
        upload.suspend()
        gate.open()
        try await server.waitUntil { $0.handledCount == 1 }
        #expect(upload.isSuspended)
        #expect(await upload.outcome().data == Data("\(8 << 20)".utf8))
    }

    @Test(arguments: ["/nowhere/at.all", "/"])
    func aFileThatCannotBeReadIsNamedInTheError(path: String) async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        let upload = session.upload(URL(fileURLWithPath: path), to: Self.url)
        let error = await upload.outcome().error
        guard case .urlRequestValidationFailed(.uploadFileNotReadable(let url)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(url.path == path)
        #expect(error?.localizedDescription.contains(path) == true)
        #expect(transport.requests.isEmpty)
    }

    @Test func refusesAFileOfAnotherMachine() async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        let upload = session.upload(URL.sure("http://b.example/body"), to: Self.url)
        #expect(await upload.outcome().error != nil)
        #expect(transport.requests.isEmpty)
    }

    @Test func aBodyIsSentAgainWithEveryAttempt() async throws {
        let transport = StubbedTransport(.failure(.reset), .failure(.reset), .response(200))
        let directory = try TestDirectory()
        let file = try directory.file("body", "abc")
        let session = Session.over(transport, interceptor: Intercepting.retrying(2))
        #expect(await session.upload(file, to: Self.url).outcome().error == nil)
        let lengths = transport.requests.map { request -> Int64? in
            if case .file(file, let length) = request.body { length } else { nil }
        }
        #expect(lengths == [3, 3, 3])
    }

    @Test func aFileThatGrewBetweenAttemptsIsSentWhole() async throws {
        let transport = StubbedTransport(.failure(.reset), .response(200))
        let directory = try TestDirectory()
        let file = try directory.file("body", "abc")
        let session = Session.over(
            transport,
            interceptor: Intercepting(retry: { _, _, completion in
                try? Data("abcdef".utf8).write(to: file)
                completion(.retry)
            }))
        _ = await session.upload(file, to: Self.url).outcome()
        let lengths = transport.requests.map { request -> Int64? in
            if case .file(_, let length) = request.body { length } else { nil }
        }
        #expect(lengths == [3, 6])
    }

    // MARK: Multipart

    @Test func theThresholdSelectsMemoryOrAFile() async throws {
        let form = { () -> RequestMultipartFormData in
            let form = RequestMultipartFormData()
            form.append(Data("abc".utf8), withName: "n")
            return form
        }
        let session = Session.over(StubbedTransport(.response(200)))
        let inMemory = session.upload(multipartFormData: form(), to: Self.url, usingThreshold: .max)
        _ = await inMemory.outcome()
        guard case .data? = inMemory.uploadable else {
            Issue.record("\(String(describing: inMemory.uploadable))")
            return
        }
        let onDisk = session.upload(multipartFormData: form(), to: Self.url, usingThreshold: 0)
        _ = await onDisk.outcome()
        guard case .file(_, shouldRemove: true)? = onDisk.uploadable else {
            Issue.record("\(String(describing: onDisk.uploadable))")
            return
        }
    }

    @Test func aFormArrivesWithItsBoundary() async throws {
        let server = try await echo()
        let session = Session.onTheWire()
        for threshold in [0, UInt64.max] {
            let form = RequestMultipartFormData(boundary: "b0undary")
            form.append(Data("abc".utf8), withName: "n")
            let outcome = await session.upload(
                multipartFormData: form, to: server.url, usingThreshold: threshold, headers: ["Content-Type": "x/y"]
            ).outcome()
            let expected = "--b0undary\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\nabc\r\n--b0undary--\r\n"
            #expect(outcome.data == Data(expected.utf8))
            #expect(server.requests.last?.fields["Content-Type"] == "multipart/form-data; boundary=b0undary")
        }
    }

    @Test func partsAddedWhileTheRequestIsMadeCount() async throws {
        struct Adding: URLRequestConvertible {
            let form: RequestMultipartFormData
            func asURLRequest() throws -> URLRequest {
                form.append(Data("late".utf8), withName: "late")
                return .to(UploadRequestTests.url, method: "POST")
            }
        }
        let transport = StubbedTransport(.response(200))
        let form = RequestMultipartFormData()
        let session = Session.over(transport)
        _ = await session.upload(multipartFormData: form, with: Adding(form: form)).outcome()
        guard case .data(let data) = transport.requests[0].body else {
            Issue.record("no body")
            return
        }
        #expect(String(decoding: data, as: UTF8.self).contains("late"))
    }

    @Test func aFormThatCannotBeEncodedHasNoUploadable() async {
        let form = RequestMultipartFormData()
        form.append(URL(fileURLWithPath: "/nowhere/at.all"), withName: "n")
        let session = Session.over(StubbedTransport(.response(200)))
        let upload = session.upload(multipartFormData: form, to: Self.url)
        #expect(await upload.outcome().error?.isMultipartEncodingError == true)
        #expect(upload.uploadable == nil)
    }

    // On macOS, TMPDIR does not move the temporary directory.
    #if os(Linux)
    /// In a separate process, with its own temporary files.
    @Test func theTemporaryFileOfAFormIsRemovedAtTheEnd() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryDirectoryOfThisProcess()
            let session = Session.over(StubbedTransport(.response(200)))
            let form = RequestMultipartFormData()
            form.append(Data("abc".utf8), withName: "n")
            let upload = session.upload(multipartFormData: form, to: "http://a.example/", usingThreshold: 0)
            #expect(await upload.outcome().error == nil)
            #expect(temporary.names == [])
            withExtendedLifetime(upload) {}
        }
    }

    @Test func theTemporaryFileOfAFormIsRemovedWithItsUpload() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryDirectoryOfThisProcess()
            let session = Session.over(StubbedTransport(.response(200)))
            do {
                let form = RequestMultipartFormData()
                form.append(Data("abc".utf8), withName: "n")
                let upload = session.upload(multipartFormData: form, to: "http://a.example/", usingThreshold: 0)
                #expect(await upload.outcome().error == nil)
            }
            #expect(temporary.names == [])
        }
    }
    #endif
}
