// Sessions, interceptors, trust and monitors as Alamofire's guide "Advanced Usage" shows them, each form once.
#if TaskAlias
import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private struct Answer: Decodable { let url: String }

private func sessions() {
    let session = Session.default
    _ = session.request("https://a")
    let configuration = URLSessionConfiguration.af.default
    configuration.allowsCellularAccess = false
    _ = Session(configuration: configuration)
    _ = Session(startRequestsImmediately: false)
    let rootQueue = DispatchQueue(label: "com.app.session.rootQueue")
    let requestQueue = DispatchQueue(label: "com.app.session.requestQueue")
    let serializationQueue = DispatchQueue(label: "com.app.session.serializationQueue")
    _ = Session(rootQueue: rootQueue, requestQueue: requestQueue, serializationQueue: serializationQueue)
    let policy = RetryPolicy()
    _ = Session(interceptor: policy)
    _ = Session(interceptor: .retryPolicy)
    let manager = ServerTrustManager(evaluators: ["httpbin.org": PinnedCertificatesTrustEvaluator()])
    _ = Session(serverTrustManager: manager)
    let redirector = Redirector(behavior: .follow)
    _ = Session(redirectHandler: redirector)
    let cacher = ResponseCacher(behavior: .cache)
    _ = Session(cachedResponseHandler: cacher)
    let monitor = ClosureEventMonitor()
    monitor.requestDidCompleteTaskWithError = { (request, task, error) in debugPrint(request) }
    monitor.requestDidFinish = { print($0) }
    _ = Session(eventMonitors: [monitor])
    session.request("https://a").redirect(using: redirector).cacheResponse(using: cacher).response { _ in }
    session.request("https://a").redirect(using: .modify { task, request, response in request }).response { _ in }
    session.request("https://a").cacheResponse(using: .modify { task, proposed in proposed }).response { _ in }
    _ = Redirector(behavior: .modify { _, request, _ in request }); _ = Redirector.follow; _ = Redirector.doNotFollow
    _ = ResponseCacher(behavior: .modify { _, response in response }); _ = ResponseCacher.cache;
    _ = ResponseCacher.doNotCache
    session.cancelAllRequests()
    session.cancelAllRequests(completingOnQueue: .main) { print("done") }
    session.withAllRequests { $0.forEach { $0.suspend() } }
    _ = session.rootQueue; _ = session.requestQueue; _ = session.serializationQueue; _ = session.interceptor;
    _ = session.serverTrustManager
    _ = session.redirectHandler; _ = session.cachedResponseHandler; _ = session.eventMonitor;
    _ = session.sessionConfiguration; _ = session.startRequestsImmediately
    _ = RetryPolicy(
        retryLimit: 3, exponentialBackoffBase: 2, exponentialBackoffScale: 0.5, retryableHTTPMethods: [.get],
        retryableHTTPStatusCodes: [500], retryableURLErrorCodes: [.timedOut])
    _ = ConnectionLostRetryPolicy(retryLimit: 2)
    _ = RetryPolicy.defaultRetryLimit; _ = RetryPolicy.defaultRetryableHTTPMethods;
    _ = RetryPolicy.defaultRetryableURLErrorCodes; _ = RetryPolicy.defaultRetryableHTTPStatusCodes;
    _ = RetryPolicy.defaultExponentialBackoffBase; _ = RetryPolicy.defaultExponentialBackoffScale
    let request = session.request("https://a")
    print(
        request.id, request.state, request.isInitialized, request.isResumed, request.isSuspended, request.isCancelled,
        request.isFinished,
        request.requests, request.firstRequest as Any, request.lastRequest as Any, request.request as Any,
        request.response as Any, request.tasks, request.firstTask as Any,
        request.lastTask as Any, request.task as Any, request.metrics as Any, request.firstMetrics as Any,
        request.lastMetrics as Any, request.allMetrics, request.retryCount, request.error as Any,
        request.credential as Any,
        request.uploadProgress, request.downloadProgress, request.performedRequests, request.data as Any,
        request.convertible, request.eventMonitor as Any, request.interceptor as Any, request.underlyingQueue,
        request.serializationQueue, request.description)
    request.suspend(); request.resume(); request.cancel()
    let upload = session.upload(Data(), to: "https://a"); print(upload)
    let publisher = NotificationCenter.default
    for name in [
        Request.didResumeNotification, Request.didSuspendNotification, Request.didCancelNotification,
        Request.didFinishNotification, Request.didResumeTaskNotification, Request.didSuspendTaskNotification,
        Request.didCancelTaskNotification, Request.didCompleteTaskNotification,
    ] {
        _ = publisher.addObserver(forName: name, object: nil, queue: nil) { print($0.request as Any) }
    }
    var r = URLRequest(url: URL(string: "https://a")!)
    r.httpMethod = HTTPMethod.post.rawValue
    AF.request(r).response { _ in }
    let urlComponents = URLComponents(string: "https://a")!
    _ = _ = AF.request(urlComponents); _ = AF.request(URL(string: "https://a")!, method: .post)
}
/// Closures that change a variable of their function.
private func monitors() {
    let monitor = ClosureEventMonitor()
    var finished = 0
    var lines: [String] = []
    monitor.requestDidFinish = { _ in finished += 1 }
    monitor.requestDidResume = { request in lines.append(request.description) }
    monitor.requestDidCompleteTaskWithError = { _, _, error in if error != nil { finished += 1 } }
    _ = Session(eventMonitors: [monitor])
    print(finished, lines)
}
private struct Auth0: RequestAdapter {
    let accessToken: String
    func adapt(
        _ urlRequest: URLRequest, for session: Session, completion: @escaping (Result<URLRequest, Error>) -> Void
    ) {
        var urlRequest = urlRequest
        if let urlString = urlRequest.url?.absoluteString, urlString.hasPrefix("https://httpbin.org") {
            urlRequest.headers.add(.authorization(bearerToken: accessToken))
        }
        completion(.success(urlRequest))
    }
}
private struct LoggedInAdapter: RequestAdapter {
    func adapt(
        _ urlRequest: URLRequest, for session: Session, completion: @escaping (Result<URLRequest, Error>) -> Void
    ) { completion(.success(urlRequest)) }
    func adapt(
        _ urlRequest: URLRequest, using state: RequestAdapterState,
        completion: @escaping (Result<URLRequest, Error>) -> Void
    ) {
        print(state.requestID, state.session); completion(.success(urlRequest))
    }
}
private class OneRetryPolicy: RequestRetrier {
    func retry(
        _ request: Request, for session: Session, dueTo error: Error, completion: @escaping (RetryResult) -> Void
    ) {
        if request.retryCount == 0 { completion(.retry) } else { completion(.doNotRetry) }
        if let response = request.task?.response as? HTTPURLResponse, response.statusCode == 401 {
            completion(.retryWithDelay(1))
        }
        completion(.doNotRetryWithError(error))
    }
}
private class Both: RequestInterceptor {
    func adapt(
        _ urlRequest: URLRequest, for session: Session, completion: @escaping (Result<URLRequest, Error>) -> Void
    ) { completion(.success(urlRequest)) }
    func retry(
        _ request: Request, for session: Session, dueTo error: Error, completion: @escaping (RetryResult) -> Void
    ) {
        guard let response = request.task?.response as? HTTPURLResponse, response.statusCode == 401 else {
            return completion(.doNotRetryWithError(error))
        }
        completion(.retry)
    }
}
private func interceptors() {
    _ = Interceptor(adapters: [Auth0(accessToken: "a")], retriers: [OneRetryPolicy()], interceptors: [Both()])
    _ = Interceptor(adapter: Auth0(accessToken: "a"), retrier: OneRetryPolicy())
    _ = Interceptor { request, session, completion in
        completion(.success(request))
    } retryHandler: { _, _, _, completion in
        completion(.doNotRetry)
    }
    _ = Interceptor(adaptHandler: { r, _, c in c(.success(r)) }, retryHandler: { _, _, _, c in c(.retry) })
    let adapter = Adapter { request, session, completion in completion(.success(request)) }
    let retrier = Retrier { request, session, error, completion in completion(.doNotRetry) }
    AF.request("https://a", interceptor: adapter).response { _ in }
    AF.request("https://a", interceptor: retrier).response { _ in }
    AF.request("https://a", interceptor: .interceptor(adapters: [adapter], retriers: [retrier])).response { _ in }
    AF.request(
        "https://a",
        interceptor: .interceptor(
            adapter: { r, _, c in c(.success(r)) }, retrier: { _, _, _, c in c(.doNotRetry) })
    ).response { _ in }
    AF.request("https://a", interceptor: .adapter { r, _, c in c(.success(r)) }).response { _ in }
    AF.request("https://a", interceptor: .retrier { _, _, _, c in c(.retry) }).response { _ in }
    AF.request("https://a", interceptor: .retryPolicy(retryLimit: 2)).response { _ in }
    AF.request("https://a", interceptor: .connectionLostRetryPolicy).response { _ in }
    AF.request("https://a", method: .post, parameters: ["a": "b"], interceptor: .deflateCompressor).response { _ in }
    AF.request(
        "https://a", method: .post, parameters: ["a": "b"],
        interceptor: DeflateRequestCompressor(duplicateHeaderBehavior: .skip) { $0.count > 1000 }
    ).response { _ in }
}
private struct SignedInCredential: AuthenticationCredential {
    let accessToken: String
    let refreshToken: String
    let userID: String
    let expiration: Date
    var requiresRefresh: Bool { Date(timeIntervalSinceNow: 60 * 5) > expiration }
}
private class SignedInAuthenticator: Authenticator {
    func apply(_ credential: SignedInCredential, to urlRequest: inout URLRequest) {
        urlRequest.headers.add(.authorization(bearerToken: credential.accessToken))
    }
    func refresh(
        _ credential: SignedInCredential, for session: Session,
        completion: @escaping (Result<SignedInCredential, Error>) -> Void
    ) {
        session.request("https://a/refresh").responseDecodable(of: Answer.self) { response in
            switch response.result {
            case .success: completion(.success(credential))
            case .failure(let error): completion(.failure(error))
            }
        }
    }
    func didRequest(_ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: Error)
        -> Bool
    { return response.statusCode == 401 }
    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: SignedInCredential) -> Bool {
        let bearerToken = HTTPHeader.authorization(bearerToken: credential.accessToken).value
        return urlRequest.headers["Authorization"] == bearerToken
    }
}
private func authenticate() throws {
    let credential = SignedInCredential(
        accessToken: "a0", refreshToken: "r0", userID: "u0", expiration: Date(timeIntervalSinceNow: 60 * 60))
    let authenticator = SignedInAuthenticator()
    let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: credential)
    let session = Session()
    let urlRequest = URLRequest(url: URL(string: "https://api.example.com/example/user")!)
    session.request(urlRequest, interceptor: interceptor).response { _ in }
    interceptor.credential = nil
    _ = AuthenticationInterceptor(authenticator: authenticator, refreshWindow: .init(interval: 30, maximumAttempts: 5))
}
private final class CustomServerTrustPolicyManager: ServerTrustManager, @unchecked Sendable {
    override func serverTrustEvaluator(forHost host: String) throws -> ServerTrustEvaluating? {
        var policy: ServerTrustEvaluating?
        if host.hasSuffix("example.com") { policy = DefaultTrustEvaluator() }
        return policy
    }
}
private func trust() {
    let evaluators: [String: ServerTrustEvaluating] = [
        "cert.example.com": PinnedCertificatesTrustEvaluator(), "keys.example.com": PublicKeysTrustEvaluator(),
        "d": DefaultTrustEvaluator(validateHost: true), "r": RevocationTrustEvaluator(), "x": DisabledTrustEvaluator(),
        "c": CompositeTrustEvaluator(evaluators: [DefaultTrustEvaluator()]),
        "p": PinnedCertificatesTrustEvaluator(
            acceptSelfSignedCertificates: true, performDefaultValidation: false, validateHost: false),
        "ro": RevocationTrustEvaluator(options: [.crl, .requirePositiveResponse]),
    ]
    _ = ServerTrustManager(allHostsMustBeEvaluated: false, evaluators: evaluators)
    _ = Bundle.main.af.certificates
}
private final class Logger: EventMonitor {
    let queue = DispatchQueue(label: "a")
    func requestDidResume(_ request: Request) { print("Resuming: \(request)") }
    func request<Value>(_ request: DataRequest, didParseResponse response: DataResponse<Value, AFError>) {
        debugPrint("Finished: \(response)")
    }
    func request(_ request: Request, didCreateTask task: RequestAttempt) {}
    func requestDidFinish(_ request: Request) { request.cURLDescription { print($0) } }
    func requestIsRetrying(_ request: Request) {}
    func request(
        _ request: DataRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, data: Data?,
        withResult result: Request.ValidationResult
    ) {}
    func request(_ request: Request, didCompleteTask task: RequestAttempt, with error: AFError?) {}
    func request(_ request: Request, didGatherMetrics metrics: TransportMetrics) {}
}
private class Reach {
    let manager = NetworkReachabilityManager(host: "www.apple.com")
    func start() {
        manager?.startListening { status in
            switch status {
            case .notReachable: print("no")
            case .unknown: print("?")
            case .reachable(.ethernetOrWiFi): print("wifi")
            case .reachable(.cellular): print("cell")
            }
        }
        manager?.startListening(onQueue: .global(), onUpdatePerforming: { print($0) })
        manager?.stopListening()
        print(
            manager?.isReachable ?? false, manager?.isReachableOnCellular ?? false,
            manager?.isReachableOnEthernetOrWiFi ?? false, manager?.status as Any,
            NetworkReachabilityManager.default as Any, NetworkReachabilityManager() as Any)
    }
}
#endif
