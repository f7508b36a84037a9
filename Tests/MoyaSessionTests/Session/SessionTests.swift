import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct SessionTests {
    private static let url = "http://a.example/"

    /// Every kind of request, of one thing that makes a `URLRequest`.
    private static func everyKind(
        _ convertible: any URLRequestConvertible, of session: Session, _ interceptor: (any RequestInterceptor)? = nil
    ) -> [Request] {
        [
            session.request(convertible, interceptor: interceptor),
            session.download(convertible, interceptor: interceptor),
            session.upload(Data("x".utf8), with: convertible, interceptor: interceptor),
            session.upload(URL(fileURLWithPath: "/dev/null"), with: convertible, interceptor: interceptor),
            session.upload(InputStream(data: Data("x".utf8)), with: convertible, interceptor: interceptor),
            session.upload(multipartFormData: RequestMultipartFormData(), with: convertible, interceptor: interceptor),
        ]
    }

    private struct Failing: URLRequestConvertible {
        let error: any Error
        func asURLRequest() throws -> URLRequest { throw error }
    }

    // MARK: What is sent

    @Test func theDefaultHeadersAreSentUnlessARequestHasItsOwn() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let session = Session(startRequestsImmediately: false)
        _ = await session.request(server.url, headers: ["accept-language": "eo"]).outcome()
        let fields = server.requests[0].fields
        #expect(fields["User-Agent"] == HTTPHeaders.default["User-Agent"])
        #expect(fields["Accept-Encoding"] == HTTPHeaders.default["Accept-Encoding"])
        #expect(fields.values(for: "Accept-Language") == ["eo"])
    }

    @Test func theUserAgentNamesTheProgramAndThePackage() throws {
        let agent = try #require(HTTPHeaders.default["User-Agent"])
        #expect(agent.wholeMatch(of: /[^\/]+\/\S+ \(.+; build:.+; \S+ \d+\.\d+\.\d+\) Moya\/\S+/) != nil, "\(agent)")
    }

    @Test func partsMakeTheRequestThatIsSent() async throws {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        _ = await session.request(
            Self.url, method: .post, parameters: ["a": 1], encoding: URLEncoding.queryString, headers: ["X-Own": "1"]
        ) { $0.timeoutInterval = 7 }.outcome()
        let sent = try #require(transport.requests.first)
        #expect(sent.method == "POST")
        #expect(sent.url == "http://a.example/?a=1")
        #expect(sent.fields == [HTTPField(name: "X-Own", value: "1")])
        #expect(sent.timeouts.idle == 7)
    }

    @Test func partsMakeADownload() async throws {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        _ = await session.download(
            Self.url, parameters: ["a": 1], headers: ["X-Own": "1"], requestModifier: { $0.timeoutInterval = 7 }
        ).outcome()
        let sent = try #require(transport.requests.first)
        #expect(sent.url == "http://a.example/?a=1")
        #expect(sent.fields == [HTTPField(name: "X-Own", value: "1")])
        #expect(sent.timeouts.idle == 7)
    }

    @Test func partsMakeEveryKindOfUpload() async throws {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        let form = RequestMultipartFormData()
        form.append(Data("abc".utf8), withName: "n")
        let modifier: Session.RequestModifier = { $0.timeoutInterval = 7 }
        let headers: HTTPHeaders = ["X-Own": "1"]
        let directory = try TestDirectory()
        let body = try directory.file("body", "abc")
        let uploads = [
            session.upload(
                Data("abc".utf8), to: Self.url, method: .put, headers: headers, requestModifier: modifier),
            session.upload(body, to: Self.url, method: .put, headers: headers, requestModifier: modifier),
            session.upload(
                InputStream(data: Data("abc".utf8)), to: Self.url, method: .put, headers: headers,
                requestModifier: modifier),
            session.upload(
                multipartFormData: form, to: Self.url, method: .put, headers: headers, requestModifier: modifier),
            session.upload(
                multipartFormData: { $0.append(Data("abc".utf8), withName: "n") }, to: Self.url, method: .put,
                headers: headers, requestModifier: modifier),
        ]
        for upload in uploads { #expect(await upload.outcome().error == nil) }
        #expect(transport.requests.map(\.method) == Array(repeating: "PUT", count: 5))
        #expect(transport.requests.allSatisfy { $0.timeouts.idle == 7 })
        #expect(transport.requests.allSatisfy { $0.fields.contains(HTTPField(name: "X-Own", value: "1")) })
    }

    @Test func anUploadIsAPOSTByDefault() async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        _ = await session.upload(Data(), to: Self.url).outcome()
        #expect(transport.requests[0].method == "POST")
    }

    @Test func aModifierRunsAnewForEveryAttempt() async {
        let transport = StubbedTransport(.failure(.reset), .response(200))
        let session = Session.over(transport, interceptor: Intercepting.retrying(1))
        let runs = Recorded<Void>()
        _ = await session.request(Self.url, requestModifier: { _ in runs.add(()) }).outcome()
        #expect(runs.count == 2)
        #expect(transport.requests.count == 2)
    }

    @Test func aModifierThatThrowsEndsTheRequestUnsent() async {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        let error = await session.request(Self.url, requestModifier: { _ in throw Refused() })
            .outcome().error
        guard case .createURLRequestFailed(let inner) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(inner is Refused)
        #expect(transport.requests.isEmpty)
    }

    // MARK: What cannot be made

    @Test func aBadURLIsNamedByEveryKindOfRequest() async {
        let session = Session.over(StubbedTransport(.response(200)))
        let bad = "http://a b.example/"
        let requests: [Request] = [
            session.request(bad), session.download(bad), session.upload(Data(), to: bad),
            session.upload(URL(fileURLWithPath: "/dev/null"), to: bad),
            session.upload(InputStream(data: Data()), to: bad),
            session.upload(multipartFormData: RequestMultipartFormData(), to: bad),
        ]
        for request in requests {
            let outcome = await request.outcome()
            guard case .invalidURL(let url) = outcome.error else {
                Issue.record("\(type(of: request)): \(String(describing: outcome.error))")
                continue
            }
            #expect(url as? String == bad)
            #expect(request.request == nil && request.response == nil && outcome.data == nil)
            #expect(outcome.fileURL == nil && outcome.metrics == nil)
            #expect(request.isFinished)
        }
    }

    @Test func anErrorOfAConvertibleIsWrappedUnlessItIsASessionError() async {
        let session = Session.over(StubbedTransport(.response(200)))
        for request in Self.everyKind(Failing(error: Refused()), of: session) {
            let error = await request.outcome().error
            #expect(error?.isCreateURLRequestError == true)
            #expect(error?.underlyingError is Refused)
        }
        for request in Self.everyKind(Failing(error: SessionError.sessionDeinitialized), of: session) {
            guard case .sessionDeinitialized = await request.outcome().error else {
                Issue.record("\(String(describing: request.error))")
                continue
            }
        }
    }

    @Test func everyKindOfRequestIsAdaptedByTheSessionFirst() async {
        let adapting = { (value: String) in
            Intercepting(adapt: { request, completion in
                var adapted = request
                adapted.addValue(value, forHTTPHeaderField: "X-Trail")
                completion(.success(adapted))
            })
        }
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport, interceptor: adapting("session"))
        let requests = Self.everyKind(URLRequest.to(Self.url, method: "POST"), of: session, adapting("request"))
        for request in requests { _ = await request.outcome() }
        let trails = transport.requests.map { $0.fields.first { $0.name == "X-Trail" }?.value }
        #expect(trails.allSatisfy { $0 == "session,request" })
        // The file cannot be uploaded.
        #expect(trails.count == requests.count - 1)
    }

    // MARK: Starting

    @Test func aHandlerStartsARequestWhenTheSessionStartsThem() async {
        let session = Session.over(StubbedTransport(.response(200)), startRequestsImmediately: true)
        let request = session.request(Self.url)
        #expect(request.isInitialized)
        await withCheckedContinuation { continuation in
            request.response(queue: .global()) { _ in continuation.resume() }
        }
        #expect(request.isFinished)
    }

    @Test func settingsChainedAfterTheHandlerCountFromTheStart() async {
        let root = DispatchQueue(label: "org.moya.tests.root")
        let session = Session(rootQueue: root, transport: StubbedTransport(.response(200)))
        root.suspend()
        let request = session.request(Self.url).response { _ in }.validate(statusCode: [201])
        #expect(request.isInitialized)
        root.resume()
        root.sync {}
        #expect(request.isFinished && request.error?.responseCode == 200)
    }

    @Test func aRequestSuspendedOrCancelledMeanwhileIsNotStarted() {
        let root = DispatchQueue(label: "org.moya.tests.root")
        let transport = StubbedTransport(.response(200))
        let session = Session(rootQueue: root, transport: transport)
        root.suspend()
        let held = session.request(Self.url).response { _ in }.suspend()
        let cancelled = session.request(Self.url).response { _ in }.cancel()
        root.resume()
        root.sync {}
        #expect(held.isSuspended && cancelled.isCancelled)
        #expect(transport.requests.isEmpty)
    }

    @Test func aHandlerDoesNotStartASuspendedRequest() {
        let root = DispatchQueue(label: "org.moya.tests.root")
        let transport = StubbedTransport(.response(200))
        let session = Session(rootQueue: root, transport: transport)
        let request = session.request(Self.url).suspend().response { _ in }
        root.sync {}
        #expect(request.isSuspended)
        #expect(transport.requests.isEmpty)
    }

    @Test func aHandlerStartsNothingInASessionWithoutAutomaticStart() {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        let request = session.request(Self.url).response { _ in }
        #expect(request.isInitialized)
        #expect(transport.requests.isEmpty)
    }

    @Test func requestsAreMadeAndAdaptedWhereTheyAreStarted() {
        let key = DispatchSpecificKey<Bool>()
        let caller = DispatchQueue(label: "org.moya.tests.caller")
        caller.setSpecific(key: key, value: true)
        let isOnQueue = Recorded<Bool?>()
        let adapter = Intercepting(adapt: { request, completion in
            isOnQueue.add(DispatchQueue.getSpecific(key: key))
            completion(.success(request))
        })
        let session = Session.over(StubbedTransport(.response(200)), interceptor: adapter)
        let request = session.request(
            Self.url, requestModifier: { _ in isOnQueue.add(DispatchQueue.getSpecific(key: key)) })
        caller.sync { _ = request.resume() }
        #expect(isOnQueue.all == [true, true])
    }

    @Test func requestsArePreparedOnTheQueueThatTheSessionWasGiven() async {
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "org.moya.tests.requests")
        queue.setSpecific(key: key, value: true)
        let isOnQueue = Recorded<Bool?>()
        let adapter = Intercepting(adapt: { request, completion in
            isOnQueue.add(DispatchQueue.getSpecific(key: key))
            completion(.success(request))
        })
        let session = Session.over(StubbedTransport(.response(200)), requestQueue: queue, interceptor: adapter)
        _ = await session.request(Self.url).outcome()
        #expect(isOnQueue.all == [true])
        #expect(session.requestQueue === queue)
    }

    @Test func aConcurrentRootQueueRunsUserCodeOneAtATime() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let concurrent = DispatchQueue(label: "org.moya.tests.root", attributes: .concurrent)
        let session = Session(configuration: .ephemeral, rootQueue: concurrent, startRequestsImmediately: false)
        let running = Lock(0)
        let overlaps = Lock(0)
        let requests = (0..<20).map { _ in
            session.request(server.url).validate { _, _, _ in
                if running.add(1) > 1 { overlaps.add(1) }
                // Long enough for the validation of another request to begin.
                usleep(2_000)
                running.add(-1)
                return .success(())
            }
        }
        await withTaskGroup { group in
            for request in requests { group.addTask { #expect(await request.outcome().error == nil) } }
        }
        #expect(overlaps.value == 0)
    }

    @Test func theConfigurationIsACopy() {
        let session = Session(transport: StubbedTransport(.silence))
        session.sessionConfiguration.timeoutIntervalForRequest = 1
        #expect(session.sessionConfiguration.timeoutIntervalForRequest != 1)
    }

    // MARK: Ending

    @Test func anInvalidatedSessionEndsPresentAndLaterRequests() async {
        let transport = StubbedTransport(.silence, .response(200))
        let session = Session.over(transport)
        let early = session.request(Self.url).resume()
        session.invalidateAndCancel()
        for request in [early, session.request(Self.url)] {
            guard case .sessionInvalidated(nil) = await request.outcome().error else {
                Issue.record("\(String(describing: request.error))")
                continue
            }
        }
        #expect(transport.requests.count == 1)
        #expect(transport.cancellations == 1)
        #expect(session.active.isEmpty)
    }

    @Test func aReleasedSessionEndsPendingRequests() async {
        let transport = StubbedTransport(.silence)
        var session: Session? = Session.over(transport)
        weak let released = session
        let requests = (0..<100).compactMap { _ in session?.request(Self.url).resume() }
        session = nil
        for request in requests {
            guard case .sessionDeinitialized = await request.outcome().error else {
                Issue.record("\(String(describing: request.error))")
                return
            }
        }
        #expect(requests.count == 100)
        #expect(released == nil)
        #expect(transport.cancellations == 100)
    }

    @Test func aRequestStartedAfterItsSessionIsGoneSendsNothing() async {
        let transport = StubbedTransport(.response(200))
        var session: Session? = Session.over(transport)
        let request = session?.request(Self.url)
        session = nil
        let error = await request?.outcome().error
        #expect(error?.isSessionDeinitializedError == true)
        #expect(transport.requests.isEmpty)
    }

    @Test func cancellingAllCompletesOnceEveryRequestWasCancelled() async {
        let session = Session.over(StubbedTransport(.silence))
        let requests = (0..<10).map { _ in session.request(Self.url).resume() }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            session.cancelAllRequests(completingOnQueue: .global()) {
                #expect(requests.allSatisfy { $0.isCancelled })
                continuation.resume()
            }
        }
        #expect(session.active.isEmpty)
    }

    @Test func cancellingAllReachesARequestThatIsAboutToStart() async {
        let transport = SteppedTransport()
        let session = Session.over(transport, startRequestsImmediately: true)
        session.rootQueue.suspend()
        let request = session.request(Self.url).response { _ in }
        session.cancelAllRequests()
        session.rootQueue.resume()
        #expect(await request.outcome().error?.isExplicitlyCancelledError == true)
        #expect(transport.exchanges.isEmpty)
        #expect(session.active.isEmpty)
    }

    @Test func aRequestSuspendedBeforeItsStartIsNotKept() async {
        let session = Session.over(SteppedTransport(), startRequestsImmediately: true)
        weak var seen: DataRequest?
        session.rootQueue.suspend()
        do {
            let request = session.request(Self.url).response { _ in }.suspend()
            seen = request
        }
        session.rootQueue.resume()
        session.rootQueue.sync {}
        #expect(seen == nil)
    }

    @Test(.timeLimit(.minutes(1))) func cancellingAllCompletesWithoutRequests() async {
        let session = Session.over(StubbedTransport(.silence))
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            session.cancelAllRequests { continuation.resume() }
        }
    }
}
