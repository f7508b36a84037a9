#if TaskAlias
import Foundation
import Moya
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The calls of Alamofire's guides "Usage" and "Advanced Usage", as its users write them.

struct LoginForm: Encodable {
    let email: String
    let password: String
}

struct HTTPBinResponse: Decodable { let url: String }

class SessionUser {
    let transport: AnsweringTransport
    let session: Session
    let queue = DispatchQueue(label: "com.app.response-queue")
    var progress: [Double] = []

    init(status: Int = 200, body: String = #"{"url": "https://httpbin.org/get"}"#) {
        transport = AnsweringTransport(status: status, body: body)
        session = Session(configuration: .ephemeral, transport: transport)
    }

    /// Waits for a handler, as a test of an app would.
    func wait(_ start: (DispatchSemaphore) -> Void) {
        let semaphore = DispatchSemaphore(value: 0)
        start(semaphore)
        _ = semaphore.wait(timeout: .now() + 60)
    }
}

@Suite struct AlamofireUsageTests {
    @Test func requestHasAResponse() {
        let user = SessionUser()
        var code: Int?
        user.wait { done in
            user.session.request("https://httpbin.org/get").response(queue: user.queue) { response in
                debugPrint(response.description)
                code = response.response?.statusCode
                done.signal()
            }
        }
        #expect(code == 200)
    }

    @Test func responseIsDecoded() {
        let user = SessionUser()
        var url: String?
        user.wait { done in
            user.session.request("https://httpbin.org/get").responseDecodable(
                of: HTTPBinResponse.self, queue: user.queue
            ) {
                response in
                url = response.value?.url
                done.signal()
            }
        }
        #expect(url == "https://httpbin.org/get")
    }

    @Test func resultIsMatched() {
        let user = SessionUser(status: 404)
        var failure: AFError?
        user.wait { done in
            user.session.request("https://httpbin.org/get")
                .validate(statusCode: 200..<300)
                .validate(contentType: ["application/json"])
                .responseData(queue: user.queue) { response in
                    switch response.result {
                    case .success:
                        print("Validation Successful")
                    case let .failure(error):
                        failure = error
                    }
                    done.signal()
                }
        }
        #expect(failure?.isResponseValidationError == true)
        #expect(failure?.responseCode == 404)
    }

    @Test func parametersAreEncodedByEachEncoder() {
        let user = SessionUser()
        let login = LoginForm(email: "test@test.test", password: "testPassword")
        user.wait { done in
            user.session.request(
                "https://httpbin.org/post", method: .post, parameters: login, encoder: JSONParameterEncoder.default
            ).responseString(queue: user.queue) { _ in done.signal() }
        }
        user.wait { done in
            user.session.request(
                "https://httpbin.org/post", method: .post, parameters: ["foo": ["bar", "baz"]],
                encoder: URLEncodedFormParameterEncoder(destination: .httpBody)
            ).responseString(queue: user.queue) { _ in done.signal() }
        }
        user.wait { done in
            user.session.request("https://httpbin.org/get", parameters: ["a": 1, "b": "c"] as [String: Any])
                .responseString(queue: user.queue) { _ in done.signal() }
        }
        #expect(user.transport.requests.map(\.method) == ["POST", "POST", "GET"])
        #expect(user.transport.requests.last?.url == "https://httpbin.org/get?a=1&b=c")
    }

    @Test func headers() {
        let user = SessionUser()
        let headers: HTTPHeaders = [
            .authorization(username: "Username", password: "Password"),
            .accept("application/json"),
        ]
        user.wait { done in
            user.session.request("https://httpbin.org/headers", headers: headers)
                .responseDecodable(of: HTTPBinResponse.self, queue: user.queue) { response in
                    debugPrint(response.description)
                    done.signal()
                }
        }
        #expect(user.transport.requests.first?.value(for: "Accept") == "application/json")
    }

    @Test func requestModifier() {
        let user = SessionUser()
        user.wait { done in
            user.session.request("https://httpbin.org/get", requestModifier: { $0.timeoutInterval = 5 })
                .response(queue: user.queue) { _ in done.signal() }
        }
        #expect(user.transport.requests.first?.timeouts.idle == 5)
    }

    @Test func formIsUploaded() {
        let user = SessionUser()
        user.wait { done in
            user.session.upload(
                multipartFormData: { multipartFormData in
                    multipartFormData.append(Data("one".utf8), withName: "one")
                    multipartFormData.append(
                        Data("two".utf8), withName: "two", fileName: "a.txt", mimeType: "text/plain")
                }, to: "https://httpbin.org/post"
            )
            .uploadProgress { progress in print("Upload Progress: \(progress.fractionCompleted)") }
            .responseDecodable(of: HTTPBinResponse.self, queue: user.queue) { _ in done.signal() }
        }
        #expect(user.transport.requests.first?.value(for: "Content-Type")?.hasPrefix("multipart/form-data") == true)
    }

    @Test func downloadIsMovedToItsDestination() {
        let user = SessionUser(body: "file")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let destination: DownloadRequest.Destination = { _, response in
            let fileURL = folder.appendingPathComponent(response.suggestedFilename!)
            return (fileURL, [.removePreviousFile, .createIntermediateDirectories])
        }
        var path: String?
        user.wait { done in
            user.session.download("https://httpbin.org/image.png", to: destination).response(queue: user.queue) {
                response in
                debugPrint(response.description)
                if response.error == nil, let imagePath = response.fileURL?.path { path = imagePath }
                done.signal()
            }
        }
        #expect(path?.hasSuffix("/image.png") == true)
    }

    @Test func downloadIsDecoded() {
        let user = SessionUser()
        var value: HTTPBinResponse?
        user.wait { done in
            user.session.download("https://httpbin.org/get")
                .downloadProgress(queue: user.queue) { user.progress.append($0.fractionCompleted) }
                .responseDecodable(of: HTTPBinResponse.self, queue: user.queue) { response in
                    value = response.value
                    if let url = response.fileURL { try? FileManager.default.removeItem(at: url) }
                    done.signal()
                }
        }
        #expect(value?.url == "https://httpbin.org/get")
    }

    @Test func valuesAreAwaited() async throws {
        let user = SessionUser()
        let value = try await user.session.request("https://httpbin.org/get").serializingDecodable(HTTPBinResponse.self)
            .value
        #expect(value.url == "https://httpbin.org/get")
        let dataTask = user.session.request("https://httpbin.org/get").serializingDecodable(HTTPBinResponse.self)
        let response = await dataTask.response
        let result = await dataTask.result
        #expect(response.response?.statusCode == 200)
        #expect((try? result.get())?.url == "https://httpbin.org/get")
    }

    @Test func responseIsMapped() {
        let user = SessionUser()
        var lengths: [Int?] = []
        user.wait { done in
            user.session.request("https://httpbin.org/get").responseString(queue: user.queue) { response in
                let length: AFDataResponse<Int> = response.map { $0.count }
                let tried: DataResponse<Int, Error> = response.tryMap { try Self.count($0) }
                let other: DataResponse<String, AppFailure> = response.mapError { AppFailure.network($0) }
                lengths = [length.value, tried.value, other.value?.count]
                done.signal()
            }
        }
        #expect(lengths == [34, 34, 34])
    }

    enum AppFailure: Error { case network(AFError) }

    static func count(_ text: String) throws -> Int { return text.count }

    struct CommaDelimitedSerializer: ResponseSerializer {
        func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: Error?) throws -> [String]
        {
            let string = try StringResponseSerializer().serialize(
                request: request, response: response, data: data, error: error)
            return string.split(separator: ",").map(String.init)
        }
    }

    @Test func serializerOfTheAppMakesTheValue() {
        let user = SessionUser(body: "a,b,c")
        var value: [String]?
        user.wait { done in
            user.session.request("https://httpbin.org/get")
                .response(queue: user.queue, responseSerializer: CommaDelimitedSerializer()) { response in
                    value = response.value
                    done.signal()
                }
        }
        #expect(value == ["a", "b", "c"])
    }

    @Test func methodsOfARequestAreChained() {
        let user = SessionUser()
        let monitor = ClosureEventMonitor(queue: user.queue)
        monitor.requestDidFinish = { _ in user.progress.append(1) }
        user.wait { done in
            user.session.request("https://httpbin.org/get", shouldAutomaticallyResume: false)
                .adapt(
                    using: Adapter { request, _, completion in
                        var request = request
                        request.headers.add(.userAgent("App"))
                        completion(.success(request))
                    }
                )
                .retry(using: .retryPolicy)
                .cacheResponse(using: .doNotCache)
                .redirect(using: .follow)
                .eventMonitor(monitor)
                .response(queue: user.queue) { _ in done.signal() }
                .resume()
        }
        user.queue.sync {}
        #expect(user.transport.requests.first?.value(for: "User-Agent") == "App")
        #expect(user.progress == [1])
    }

    @Test func routerMakesRequests() {
        enum Router: URLRequestConvertible {
            case get, post

            var baseURL: URL { return URL(string: "https://httpbin.org")! }
            var method: HTTPMethod { self == .get ? .get : .post }
            var path: String { self == .get ? "get" : "post" }

            func asURLRequest() throws -> URLRequest {
                let url = baseURL.appendingPathComponent(path)
                var request = URLRequest(url: url)
                request.method = method
                return request
            }
        }
        let user = SessionUser()
        user.wait { done in
            user.session.request(Router.post).responseString(queue: user.queue) { _ in done.signal() }
        }
        #expect(user.transport.requests.first?.method == "POST")
        #expect(user.transport.requests.first?.url == "https://httpbin.org/post")
    }

    @Test func requestIsCompressed() {
        let user = SessionUser()
        user.wait { done in
            user.session.request(
                "https://httpbin.org/post", method: .post, parameters: ["a": String(repeating: "b", count: 500)],
                interceptor: .deflateCompressor
            ).response(queue: user.queue) { _ in done.signal() }
        }
        #expect(user.transport.requests.first?.value(for: "Content-Encoding") == "deflate")
    }

    @Test func genericFunctionUsesTheSession() {
        let user = SessionUser()
        func get<T: Decodable>(_ url: String, _ type: T.Type, completion: @escaping (Result<T, AFError>) -> Void) {
            user.session.request(url).validate().responseDecodable(of: type, queue: user.queue) {
                completion($0.result)
            }
        }
        var url: String?
        user.wait { done in
            get("https://httpbin.org/get", HTTPBinResponse.self) { result in
                url = try? result.get().url
                done.signal()
            }
        }
        #expect(url == "https://httpbin.org/get")
    }

    @Test func requestIsDescribedAsACurlCommand() {
        let user = SessionUser()
        var text: String?
        user.wait { done in
            user.session.request("https://httpbin.org/get")
                .cURLDescription { text = $0 }
                .response(queue: user.queue) { _ in done.signal() }
        }
        #expect(text?.hasPrefix("$ curl -v") == true)
    }
}
#endif
