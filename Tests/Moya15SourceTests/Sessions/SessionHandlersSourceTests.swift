#if TaskAlias
import Foundation
import Moya
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A logger as apps have it.
final class RequestLogger: EventMonitor {
    let queue = DispatchQueue(label: "com.example.logger")
    var lines: [String] = []

    func requestDidResume(_ request: Request) {
        lines.append("resume \(request.description)")
        request.cURLDescription { curl in debugPrint(curl) }
    }

    func requestDidFinish(_ request: Request) { lines.append("finish \(request)") }

    func request(_ request: DataRequest, didParseResponse response: DataResponse<Data?, AFError>) {
        lines.append("parse \(response.response?.statusCode ?? 0)")
    }

    func request(_ request: Request, didFailToAdaptURLRequest initialRequest: URLRequest, withError error: AFError) {
        lines.append("fail")
    }

    func requestIsRetrying(_ request: Request) { lines.append("retry") }
}

@Suite struct SessionHandlersSourceTests {
    private let queue = DispatchQueue(label: "callbacks")

    private func get(_ session: Session) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            session.request("https://example.com/get").response(queue: queue) { _ in continuation.resume() }
        }
    }

    @Test func monitorsOfTheAppAreNotified() async {
        let logger = RequestLogger()
        let session = Session(eventMonitors: [logger], transport: AnsweringTransport())
        await get(session)
        logger.queue.sync {}
        #expect(logger.lines.count == 3 && logger.lines.last == "parse 200")
    }

    @Test func monitorsAreMadeOfClosures() async {
        let monitor = ClosureEventMonitor(queue: queue)
        var finished = 0
        monitor.requestDidFinish = { _ in finished += 1 }
        monitor.requestDidCreateTask = { request, _ in debugPrint(request) }
        await get(Session(eventMonitors: [monitor], transport: AnsweringTransport()))
        queue.sync {}
        #expect(finished == 1)
    }

    @Test func redirectorsAndCachersAreMadeOfClosures() async {
        var asked: [String] = []
        let redirector = Redirector(
            behavior: .modify { _, request, response in
                asked.append("\(response.statusCode)")
                return request
            })
        let cacher = ResponseCacher(
            behavior: .modify { _, response in
                let userInfo = ["date": Date()]
                return CachedURLResponse(
                    response: response.response, data: response.data, userInfo: userInfo, storagePolicy: .allowed)
            })
        let session = Session(
            redirectHandler: redirector, cachedResponseHandler: cacher, transport: AnsweringTransport())
        await get(session)
        session.request("https://example.com").redirect(using: Redirector.doNotFollow)
            .cacheResponse(using: ResponseCacher.doNotCache).cancel()
        session.request("https://example.com").redirect(using: .follow).cacheResponse(using: .cache).cancel()
        #expect(asked.isEmpty)
    }

    @Test func everyKindOfTrustEvaluatorIsNamed() throws {
        let evaluators: [String: ServerTrustEvaluating] = [
            "pinned.example.com": PinnedCertificatesTrustEvaluator(acceptSelfSignedCertificates: true),
            "keys.example.com": PublicKeysTrustEvaluator(performDefaultValidation: false, validateHost: true),
            "default.example.com": DefaultTrustEvaluator(validateHost: false),
            "revocation.example.com": RevocationTrustEvaluator(options: .ocsp),
            "both.example.com": CompositeTrustEvaluator(evaluators: [
                DefaultTrustEvaluator(), PublicKeysTrustEvaluator(),
            ]),
            "anything.example.com": DisabledTrustEvaluator(),
        ]
        let manager = ServerTrustManager(allHostsMustBeEvaluated: true, evaluators: evaluators)
        for host in evaluators.keys { #expect(try manager.serverTrustEvaluator(forHost: host) != nil) }
        #expect(throws: AFError.self) { try manager.serverTrustEvaluator(forHost: "other.example.com") }
        let named: [ServerTrustEvaluating] = [
            .default, .revocationChecking, .pinnedCertificates, .publicKeys, .composite(evaluators: []),
        ]
        #expect(named.count == 5)
    }

    @Test func everySettingOfASessionIsGivenAtOnce() {
        let session = Session(
            configuration: URLSessionConfiguration.af.default,
            rootQueue: DispatchQueue(label: "com.example.root"),
            startRequestsImmediately: false,
            requestQueue: DispatchQueue(label: "com.example.request"),
            serializationQueue: DispatchQueue(label: "com.example.serialization"),
            interceptor: .retryPolicy,
            serverTrustManager: ServerTrustManager(allHostsMustBeEvaluated: false, evaluators: [:]),
            redirectHandler: Redirector(behavior: .follow),
            cachedResponseHandler: ResponseCacher(behavior: .cache),
            eventMonitors: [RequestLogger()])
        #expect(session.interceptor is RetryPolicy)
        #expect(session.sessionConfiguration.headers["User-Agent"] != nil)
        #expect(session.request("https://example.com").delegate?.sessionConfiguration.headers.isEmpty == false)
        session.cancelAllRequests { debugPrint("done") }
    }

    @Test func uploadsToAURLMayBeOverriddenToo() {
        class Uploads: Session {
            var urls: [String] = []

            override func upload(
                _ data: Data, to convertible: URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
                interceptor: RequestInterceptor? = nil, fileManager: FileManager = .default,
                requestModifier: RequestModifier? = nil
            ) -> UploadRequest {
                urls.append("\(convertible)")
                return super.upload(
                    data, to: convertible, method: method, headers: headers, interceptor: interceptor,
                    fileManager: fileManager, requestModifier: requestModifier)
            }
        }
        let session = Uploads(startRequestsImmediately: false, transport: AnsweringTransport())
        _ = session.upload(Data(), to: "https://example.com/upload")
        #expect(session.urls == ["https://example.com/upload"])
    }
}
#endif
