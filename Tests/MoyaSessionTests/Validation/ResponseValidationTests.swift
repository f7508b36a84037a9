import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ResponseValidationTests {
    /// The two kinds of request that a response is validated of.
    enum Kind: CaseIterable { case data, download }

    private func error(
        _ kind: Kind, status: Int = 200, type: String? = nil, body: String = "x", accept: String? = nil,
        _ validate: @Sendable (Request) -> Void
    ) async -> SessionError? {
        let fields = type.map { [("Content-Type", $0)] } ?? []
        let session = Session.over(StubbedTransport(.response(status, fields, body)))
        var urlRequest = URLRequest.to("http://a.example/")
        urlRequest.setValue(accept, forHTTPHeaderField: "Accept")
        let request: Request = kind == .data ? session.request(urlRequest) : session.download(urlRequest)
        validate(request)
        let outcome = await request.outcome()
        if let file = outcome.fileURL { try? FileManager.default.removeItem(at: file) }
        return outcome.error
    }

    private func reason(_ error: SessionError?) -> SessionError.ResponseValidationFailureReason? {
        if case .responseValidationFailed(let reason) = error { reason } else { nil }
    }

    // MARK: Status

    @Test(arguments: Kind.allCases)
    func anAcceptedStatusPasses(kind: Kind) async {
        #expect(await error(kind, status: 204) { $0.validate(statusCode: 200..<300) } == nil)
        #expect(await error(kind, status: 404) { $0.validate(statusCode: [200, 404]) } == nil)
    }

    @Test(arguments: Kind.allCases)
    func anotherStatusIsNamed(kind: Kind) async {
        for codes in [200..<300, 0..<1] {
            let error = await error(kind, status: 404) { $0.validate(statusCode: codes) }
            #expect(error?.responseCode == 404)
        }
        let ofNone = await error(kind, status: 200) { $0.validate(statusCode: [Int]()) }
        guard case .unacceptableStatusCode(200)? = reason(ofNone) else {
            Issue.record("\(String(describing: ofNone))")
            return
        }
    }

    @Test(arguments: Kind.allCases)
    func aRangeWithoutAnUpperBoundIsARange(kind: Kind) async {
        #expect(await error(kind, status: 404) { $0.validate(statusCode: 300...) } == nil)
        #expect(await error(kind, status: 200) { $0.validate(statusCode: 300...) }?.responseCode == 200)
    }

    // MARK: Type

    @Test(
        arguments: Kind.allCases,
        [
            ("application/json", ["application/json"]), ("application/json; charset=utf-8", ["application/json"]),
            ("application/json", ["application/json; charset=utf-8"]), ("text/plain", ["text/*"]),
            ("text/plain", ["*/plain"]), ("text/plain", ["*/*"]), ("text/plain", ["a/b", " text/plain "]),
        ])
    func anAcceptedTypePasses(kind: Kind, types: (String, [String])) async {
        let (type, acceptable) = types
        #expect(await error(kind, type: type) { $0.validate(contentType: acceptable) } == nil)
    }

    @Test(arguments: Kind.allCases)
    func anotherTypeIsNamedBesideThoseAcceptedInOrder(kind: Kind) async {
        let error = await error(kind, type: "text/plain") { $0.validate(contentType: ["z/z", "a/a", "m/*"]) }
        guard case .unacceptableContentType(let acceptable, let type)? = reason(error) else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(acceptable == ["a/a", "m/*", "z/z"])
        #expect(type == "text/plain")
        #expect(error?.acceptableContentTypes == acceptable && error?.responseContentType == type)
    }

    @Test(arguments: Kind.allCases)
    func noTypeIsAcceptedByAnyTypeAlone(kind: Kind) async {
        #expect(await error(kind) { $0.validate(contentType: ["*/*"]) } == nil)
        let error = await error(kind) { $0.validate(contentType: ["text/*", "a/a"]) }
        guard case .missingContentType(["a/a", "text/*"])? = reason(error) else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: Kind.allCases)
    func noTypesAcceptOnlyAnEmptyBody(kind: Kind) async {
        #expect(await error(kind, type: "text/plain") { $0.validate(contentType: [String]()) } != nil)
        #expect(await error(kind, status: 204, body: "") { $0.validate(contentType: [String]()) } == nil)
        #expect(await error(kind, type: "text/plain", body: "") { $0.validate(contentType: ["a/a"]) } == nil)
    }

    @Test func acceptableTypesAreEvaluatedWithTheResponse() async {
        let asked = Recorded<Void>()
        @Sendable func types() -> [String] {
            asked.add(())
            return ["*/*"]
        }
        let session = Session.over(StubbedTransport(.response(200, [], "x")))
        let request = session.request(URLRequest.to("http://a.example/")).validate(contentType: types())
        #expect(asked.count == 0)
        _ = await request.outcome()
        #expect(asked.count == 1)
    }

    // MARK: Both

    @Test(arguments: Kind.allCases)
    func plainValidationTakesTheAcceptField(kind: Kind) async {
        let accept = "text/html;q=0.8, application/json; charset=utf-8;q=1, a/*"
        #expect(await error(kind, type: "application/json", accept: accept) { $0.validate() } == nil)
        #expect(await error(kind, type: "text/html", accept: accept) { $0.validate() } == nil)
        #expect(await error(kind, type: "a/b", accept: accept) { $0.validate() } == nil)
        #expect(await error(kind, type: "text/plain", accept: accept) { $0.validate() }?.responseContentType != nil)
        #expect(await error(kind, type: "text/plain") { $0.validate() } == nil)
        #expect(await error(kind) { $0.validate() } == nil)
        #expect(await error(kind, status: 300) { $0.validate() }?.responseCode == 300)
    }

    @Test(arguments: Kind.allCases)
    func theFirstThatFailsDecides(kind: Kind) async {
        let status = await error(kind, status: 404, type: "text/plain") {
            $0.validate(statusCode: [200]).validate(contentType: ["a/a"])
        }
        #expect(status?.responseCode == 404)
        let type = await error(kind, status: 404, type: "text/plain") {
            $0.validate(contentType: ["a/a"]).validate(statusCode: [200])
        }
        #expect(type?.responseContentType == "text/plain")
    }

    // MARK: User validations

    @Test func aValidationSeesTheRequestTheResponseAndTheBody() async {
        let session = Session.over(StubbedTransport(.response(201, [("X-Name", "1")], "hello")))
        let seen = Recorded<[String?]>()
        let request = session.request(URLRequest.to("http://a.example/")).validate { request, response, data in
            seen.add([
                request?.url?.absoluteString, response.value(forHTTPHeaderField: "X-Name"),
                data.map { String(decoding: $0, as: UTF8.self) },
            ])
            return .success(())
        }
        #expect(await request.outcome().error == nil)
        #expect(seen.all == [["http://a.example/", "1", "hello"]])
    }

    @Test func aDownloadsValidationSeesTheFile() async throws {
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let session = Session.over(StubbedTransport(.response(201, [], "hello")))
        let seen = Recorded<URL?>()
        let download = session.download(URLRequest.to("http://a.example/")) { _, _ in (target, []) }
        download.validate { _, _, fileURL in
            seen.add(fileURL)
            return .success(())
        }
        #expect(await download.outcome().error == nil)
        #expect(seen.all == [target])
    }

    @Test func wrapsUserErrorsButNotSessionErrors() async {
        let session = Session.over(StubbedTransport(.response(200)))
        let wrapped = await session.request(URLRequest.to("http://a.example/"))
            .validate { _, _, _ in .failure(Refused()) }.outcome().error
        guard case .customValidationFailed(let error)? = reason(wrapped) else {
            Issue.record("\(String(describing: wrapped))")
            return
        }
        #expect(error is Refused)
        let own = await session.request(URLRequest.to("http://a.example/"))
            .validate { _, _, _ in .failure(SessionError.explicitlyCancelled) }.outcome().error
        #expect(own?.isExplicitlyCancelledError == true)
    }

    @Test func skipsValidationAfterAnErrorOrWithoutAResponse() async {
        let asked = Recorded<Void>()
        for transport in [StubbedTransport(.response(404)), StubbedTransport(.failure(.connect))] {
            let session = Session.over(transport)
            let request = session.request(URLRequest.to("http://a.example/"))
            _ = await request.validate(statusCode: [200]).validate { _, _, _ in
                asked.add(())
                return .success(())
            }.outcome()
        }
        #expect(asked.count == 0)
    }

    @Test func aFailedValidationKeepsTheBody() async {
        let session = Session.over(StubbedTransport(.response(404, [], "sorry")))
        let response = await session.request(URLRequest.to("http://a.example/")).validate().answered()
        #expect(response.data == Data("sorry".utf8))
        #expect(response.value == nil && response.error != nil)
    }

    @Test func aValidationRunsOnTheRootQueueWhenTheTransportMayNotBlock() async {
        let transport = SteppedTransport(deliversWhereCodeMayBlock: false)
        let session = Session.over(transport)
        let key = DispatchSpecificKey<Bool>()
        session.rootQueue.setSpecific(key: key, value: true)
        let isOnRoot = Recorded<Bool?>()
        let request = session.request(URLRequest.to("http://a.example/")).validate { _, _, _ in
            isOnRoot.add(DispatchQueue.getSpecific(key: key))
            return .success(())
        }
        request.resume()
        transport.exchanges[0].respond()
        _ = await request.outcome()
        #expect(isOnRoot.all == [true])
    }

    @Test func acceptableTypesAreEvaluatedOnTheRootQueueWhenTheTransportMayNotBlock() async {
        let transport = SteppedTransport(deliversWhereCodeMayBlock: false)
        let session = Session.over(transport)
        let key = DispatchSpecificKey<Bool>()
        session.rootQueue.setSpecific(key: key, value: true)
        let isOnRoot = Recorded<Bool?>()
        @Sendable func types() -> [String] {
            isOnRoot.add(DispatchQueue.getSpecific(key: key))
            return ["*/*"]
        }
        let request = session.request(URLRequest.to("http://a.example/")).validate(contentType: types()).resume()
        transport.exchanges[0].head(200)
        transport.exchanges[0].chunk("hello")
        transport.exchanges[0].end()
        _ = await request.outcome()
        #expect(isOnRoot.all == [true])
    }

    @Test func aDownloadWhoseFileIsMissingCannotBeValidated() async throws {
        let directory = try TestDirectory()
        let target = directory.url.appendingPathComponent("file")
        let session = Session.over(StubbedTransport(.response(200, [], "hello")))
        let download = session.download(URLRequest.to("http://a.example/")) { _, _ in (target, []) }
        download.validate { _, _, fileURL in
            if let fileURL { try? FileManager.default.removeItem(at: fileURL) }
            return .success(())
        }
        let error = await download.validate(contentType: ["a/a"]).outcome().error
        guard case .dataFileReadFailed(target)? = reason(error) else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
