import CMeasure
import Foundation
import Moya
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Measures the parts around a call separately: CPU microseconds, the minimum of several rounds.
enum Parts {
    private static let rounds = 7

    /// - Parameter part: The part to measure; empty for all.
    static func run(_ part: String) throws {
        var figures: [(name: String, value: Double)] = []
        func isWanted(_ name: String) -> Bool { part.isEmpty || part == name }
        if isWanted("logs") { try logs(&figures) }
        if isWanted("cookies") { cookies(&figures) }
        if isWanted("forms") { try forms(&figures) }
        if isWanted("fields") { fields(&figures) }
        figures.append(("failures", Double(PartsCaller.failures.count)))
        Figures.print(figures)
    }

    /// Measures the microseconds of each of `count` equal operations.
    private static func cost(_ count: Int, _ operation: () throws -> Void) rethrows -> Double {
        try operation()
        var least = Double.infinity
        for _ in 0..<rounds {
            let start = measure_cpu_microseconds()
            for _ in 0..<count { try operation() }
            least = min(least, (measure_cpu_microseconds() - start) / Double(count))
        }
        return least
    }

    // MARK: Logs

    private static func logs(_ figures: inout [(name: String, value: Double)]) throws {
        var request = URLRequest(url: url)
        request.allHTTPHeaderFields = [
            "Accept": "application/json", "Authorization": "Bearer abc", "X-Request-Id": "0123456789",
        ]
        let fields = [
            "Content-Type": "application/json", "Server": "nginx", "Date": "Sun, 22 Nov 2026 16:00:00 GMT",
            "Content-Length": "196", "ETag": "\"abcdef\"", "Cache-Control": "no-cache", "Connection": "keep-alive",
            "Vary": "Accept-Encoding",
        ]
        let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
        let target = BenchmarkAPI.small(url)
        let sent = LoggedRequest(request: request)
        func log(
            _ options: NetworkLoggerPlugin.Configuration.LogOptions, _ body: Data, isEnabled: Bool = true
        ) -> () -> Void {
            var configuration = NetworkLoggerPlugin.Configuration(output: { _, _ in }, logOptions: options)
            configuration.isEnabled = isEnabled
            let plugin = NetworkLoggerPlugin(configuration: configuration)
            let response = Response(statusCode: 200, data: body, request: request, response: head)
            return {
                plugin.willSend(sent, target: target)
                plugin.didReceive(.success(response), target: target)
            }
        }
        figures.append(("logDefault", cost(2000, log(.default, target.sampleData))))
        figures.append(("logVerbose", cost(2000, log(.verbose, target.sampleData))))
        let item = #"{"id": 583231, "login": "octocat", "url": "https://example.com/u?id=1", "tags": ["a", "b"]}"#
        let list = Data("[\(Array(repeating: item, count: 1_048_576 / item.utf8.count).joined(separator: ", "))]".utf8)
        figures.append(("logMegabyte", cost(3, log(.verbose, list))))
        figures.append(("logOff", cost(20_000, log(.verbose, list, isEnabled: false))))
    }

    private struct LoggedRequest: RequestType {
        let request: URLRequest?
        let sessionHeaders = HTTPHeaders.default.dictionary

        func authenticate(username: String, password: String, persistence: URLCredential.Persistence) -> Self { self }
        func authenticate(with credential: URLCredential) -> Self { self }
        func cURLDescription(calling handler: @escaping @Sendable (String) -> Void) -> Self { self }
    }

    // MARK: Cookies

    private static func cookies(_ figures: inout [(name: String, value: Double)]) {
        for count in [0, 300, 10_000] {
            let configuration = URLSessionConfiguration.ephemeral
            for index in 0..<count {
                let cookie = HTTPCookie(properties: [
                    .name: "session", .value: "0123456789", .domain: "host\(index).example.com", .path: "/",
                ])
                if let cookie { configuration.httpCookieStorage?.setCookie(cookie) }
            }
            let session = session(configuration, bodyLength: 200)
            figures.append(("cookies\(count)", cost(count > 300 ? 50 : 2000) { session.call() }))
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        let session = session(configuration, bodyLength: 200)
        figures.append(("cookiesNone", cost(2000) { session.call() }))
    }

    // MARK: Forms

    private struct Form: Encodable {
        var query = "swift concurrency", page = 3, perPage = 50, sort = "stars", order = "desc", isExact = true
        var language = "Schnell & günstig", limit = 100, cursor = "b2Zmc2V0OjEwMA==", tags = ["one"]
    }

    private static func forms(_ figures: inout [(name: String, value: Double)]) throws {
        let parameters: [String: any Any & Sendable] = [
            "query": "swift concurrency", "page": 3, "perPage": 50, "sort": "stars", "order": "desc", "isExact": true,
            "language": "Schnell & günstig", "limit": 100, "cursor": "b2Zmc2V0OjEwMA==", "tags": ["one"],
        ]
        let request = URLRequest(url: url)
        let encoding = URLEncoding.queryString
        // A query costs a copy of the request and a URL, which the cost of each parameter excludes.
        for (name, encoding) in [("query", encoding), ("form", .httpBody)] {
            let one = try cost(2000) { _ = try encoding.encode(request, with: ["page": 3]) }
            let ten = try cost(2000) { _ = try encoding.encode(request, with: parameters) }
            figures += [(name + "OfOne", one), (name + "Parameter", (ten - one) / 9)]
        }
        let encoder = URLEncodedFormEncoder()
        let text = try cost(2000) { _ = try encoder.encode(Form()) as String }
        figures.append(("encodableParameter", text / 10))
        let json = try cost(2000) { _ = try JSONEncoding.default.encode(request, with: parameters) }
        figures.append(("jsonParameter", json / 10))
        let many = Array(repeating: Form(), count: 50)
        for (name, encoder) in [("jsonKilobyte", JSONEncoder.moyaDefault), ("jsonKilobyteOfFoundation", JSONEncoder())]
        {
            let kilobytes = try Double(encoder.encode(many).count) / 1024
            figures.append((name, try cost(100) { _ = try encoder.encode(many) } / kilobytes))
        }
        let data = Data(repeating: 0x61, count: 100)
        let parts = try cost(500) {
            let form = RequestMultipartFormData()
            for _ in 0..<20 { form.append(data, withName: "file", fileName: "a.txt", mimeType: "text/plain") }
            _ = try form.encode()
        }
        figures.append(("multipartPart", parts / 20))
    }

    // MARK: Fields

    private static func fields(_ figures: inout [(name: String, value: Double)]) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        let bare = session(configuration, bodyLength: 200)
        let none = cost(2000) { bare.call() }
        figures.append(("call", none))
        let idle = session(configuration, bodyLength: 200, adapting: { _ in })
        figures.append(("idleAdapter", cost(2000) { idle.call() } - none))
        let one = session(configuration, bodyLength: 200) { $0.setValue("benchmark", forHTTPHeaderField: "X-Client") }
        figures.append(("adapterField", cost(2000) { one.call() } - none))
        let plugin = session(configuration, bodyLength: 200, plugins: [FieldPlugin()])
        figures.append(("pluginField", cost(2000) { plugin.call() } - none))
        let looking = session(configuration, bodyLength: 200, plugins: [IdlePlugin()])
        figures.append(("idlePlugin", cost(2000) { looking.call() } - none))
        var names: [String: String] = [:]
        for index in 0..<20 { names["X-Benchmark-\(index)"] = "value \(index)" }
        let headers = names
        let target = session(configuration, bodyLength: 200, headers: headers)
        figures.append(("twentyFields", cost(2000) { target.call() } - none))
    }

    private struct FieldPlugin: PluginType {
        func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
            var request = request
            request.setValue("benchmark", forHTTPHeaderField: "X-Client")
            return request
        }
    }

    private struct IdlePlugin: PluginType {}

    // MARK: Calls

    private static let url = URL(string: "http://127.0.0.1:9/users?page=3&sort=name") ?? URL(fileURLWithPath: "/")

    private static func session(
        _ configuration: URLSessionConfiguration, bodyLength: Int, headers: [String: String]? = nil,
        plugins: [any PluginType] = [], adapting: (@Sendable (inout URLRequest) -> Void)? = nil
    ) -> PartsCaller {
        configuration.urlCache = nil
        let adapter = adapting.map { adapting in
            Adapter { request, _, completion in
                var request = request
                adapting(&request)
                completion(.success(request))
            }
        }
        let session = Session(
            configuration: configuration, startRequestsImmediately: false, interceptor: adapter, eventMonitors: [],
            transport: MemoryTransport(bodyLength: bodyLength))
        let provider = MoyaProvider<PartsAPI>(session: session, plugins: plugins)
        return PartsCaller(provider: provider, target: PartsAPI(baseURL: url, headers: headers))
    }
}

/// A target with variable header fields.
struct PartsAPI: TargetType {
    let baseURL: URL
    let path = ""
    let method = Moya.Method.get
    let task = RequestTask.requestPlain
    let headers: [String: String]?
    let sampleData = Data()
    let validationType = ValidationType.successCodes
}

/// Makes calls one after the other, and waits for each.
struct PartsCaller {
    /// The calls of all callers that failed.
    static let failures = Failures()
    let provider: MoyaProvider<PartsAPI>
    let target: PartsAPI
    private let queue = DispatchQueue(label: "parts")

    init(provider: MoyaProvider<PartsAPI>, target: PartsAPI) {
        self.provider = provider
        self.target = target
    }

    func call() {
        let done = DispatchSemaphore(value: 0)
        provider.request(target, callbackQueue: queue) { result in
            if case .failure = result { Self.failures.count += 1 }
            done.signal()
        }
        done.wait()
    }

    /// `@unchecked`, because each call is waited for.
    final class Failures: @unchecked Sendable {
        var count = 0
    }
}

/// A transport that answers from memory on the calling thread, in chunks as large as libcurl's.
private struct MemoryTransport: Transport {
    let bodyLength: Int
    private static let chunk = [UInt8](repeating: 0x20, count: 16 * 1024)

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        let fields = [HTTPField(name: "Content-Length", value: String(bodyLength))]
        _ = sink.receive(.head(TransportResponseHead(status: 200, fields: fields)))
        var rest = bodyLength
        while rest > 0 {
            Self.chunk.withUnsafeBytes { bytes in
                _ = sink.receive(.chunk(UnsafeRawBufferPointer(rebasing: bytes[..<min(rest, bytes.count)])))
            }
            rest -= Self.chunk.count
        }
        _ = sink.receive(.end(TransportEnd()))
        return Exchange()
    }

    private final class Exchange: TransportExchange {
        func cancel() {}
        func pause() {}
        func resume() {}
    }
}
