#if TaskAlias
import Foundation
import Moya
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The streams of Alamofire's guide "Usage", as its users write them.
@Suite struct StreamRequestSourceTests {
    @Test func streamOfData() {
        let user = SessionUser(body: "body")
        var received = Data()
        var code: Int?
        user.wait { done in
            user.session.streamRequest("https://httpbin.org/stream/100").responseStream(on: user.queue) { stream in
                switch stream.event {
                case let .stream(result):
                    switch result {
                    case let .success(data):
                        received.append(data)
                    }
                case let .complete(completion):
                    code = completion.response?.statusCode
                    done.signal()
                }
            }
        }
        #expect(received == Data("body".utf8))
        #expect(code == 200)
    }

    @Test func streamOfStrings() {
        let user = SessionUser(status: 503, body: "overloaded")
        var text = ""
        var error: AFError?
        user.wait { done in
            user.session.streamRequest("https://httpbin.org/stream/100", headers: [.accept("text/plain")])
                .validate(statusCode: 200..<300)
                .responseStreamString(on: user.queue) { stream in
                    text += stream.value ?? ""
                    guard let completion = stream.completion else { return }
                    error = completion.error
                    done.signal()
                }
        }
        #expect(text == "overloaded")
        #expect(error?.responseCode == 503)
    }

    @Test func streamOfValues() {
        let user = SessionUser()
        var urls: [String] = []
        user.wait { done in
            user.session.streamRequest(
                "https://httpbin.org/stream/1", method: .post, parameters: ["n": "1"],
                encoder: JSONParameterEncoder.default, automaticallyCancelOnStreamError: true
            ) { $0.timeoutInterval = 5 }
            .responseStreamDecodable(of: HTTPBinResponse.self, on: user.queue) { stream in
                switch stream.event {
                case let .stream(result):
                    switch result {
                    case let .success(value): urls.append(value.url)
                    case let .failure(error): print(error)
                    }
                case .complete:
                    done.signal()
                }
            }
        }
        #expect(urls == ["https://httpbin.org/get"])
        #expect(user.transport.requests.first?.timeouts.idle == 5)
    }

    struct LineCountSerializer: DataStreamSerializer {
        func serialize(_ data: Data) throws -> Int {
            return String(decoding: data, as: UTF8.self).split(separator: "\n").count
        }
    }

    @Test func serializerOfTheApp() {
        let user = SessionUser(body: "a\nb\n")
        var lines: [Int] = []
        user.wait { done in
            user.session.streamRequest("https://httpbin.org/stream/1")
                .responseStream(using: LineCountSerializer(), on: user.queue) { stream in
                    if let count = stream.value { lines.append(count) }
                    if stream.completion != nil { done.signal() }
                }
        }
        #expect(lines == [2])
    }

    @Test func awaitedStrings() async {
        let user = SessionUser(body: "body")
        let streamTask = user.session.streamRequest("https://httpbin.org/stream/100").streamTask()
        var text = ""
        for await stream in streamTask.streamingStrings() { text += stream.value ?? "" }
        #expect(text == "body")
    }

    @Test func serializersByTheirShortNames() async throws {
        let user = SessionUser()
        var text: String?
        user.wait { done in
            user.session.request("https://httpbin.org/get").response(queue: user.queue, responseSerializer: .string) {
                text = $0.value
                done.signal()
            }
        }
        #expect(text?.contains("httpbin") == true)
        let file = try await user.session.download("https://httpbin.org/get").serializingDownload(using: .url).value
        try FileManager.default.removeItem(at: file)
    }

    @Test func createdRequestsOfACall() {
        let user = SessionUser()
        var made: URLRequest?
        var host: String?
        user.wait { done in
            user.session.request("https://httpbin.org/get")
                .onURLRequestCreation(on: user.queue) { made = $0 }
                .onURLSessionTaskCreation(on: user.queue) { task in host = task.originalRequest?.url?.host }
                .response(queue: user.queue) { _ in done.signal() }
        }
        #expect(made?.httpMethod == "GET")
        #expect(host == "httpbin.org")
    }

    @Test func sequencesOfACall() async {
        let user = SessionUser()
        let request = user.session.request("https://httpbin.org/get")
        let texts = request.cURLDescriptions()
        request.response(queue: user.queue) { _ in }
        var count = 0
        for await text in texts where text.hasPrefix("$ curl") { count += 1 }
        #expect(count == 1)
    }
}
#endif
