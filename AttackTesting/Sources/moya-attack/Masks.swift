import Foundation
import FoundationNetworking
import Moya
import MoyaSession

extension AttackCommand {
    /// The secret, which no output may contain.
    private static let secret = "hunter2Zq9"

    /// Makes a call with a secret in one place, and lists the forms of the package's output that reveal it.
    @Sendable static func mask(_ order: Order) async throws -> String {
        guard let name = order.name, let place = order.place, let base = order.calls?.first?.url,
            let url = URL(string: base + suffix(place, name))
        else { return "no place" }
        let items = Collected()
        let curl = Collected()
        let session = Session(startRequestsImmediately: false)
        let provider = MoyaProvider<OrderedTarget>(
            session: session,
            plugins: [
                NetworkLoggerPlugin(
                    configuration: .init(output: { _, lines in items.append(lines) }, logOptions: .verbose)),
                NetworkLoggerPlugin(
                    configuration: .init(
                        output: { _, lines in curl.append(lines) },
                        logOptions: [.formatRequestAscURL, .successResponseBody, .errorResponseBody])),
            ])
        var target = OrderedTarget(baseURL: url)
        target.method = ["json", "form", "text", "xml"].contains(place) ? .post : .get
        if place == "header" { target.headers = [name: secret] }
        if let body = body(place, name) { target.task = .requestData(Data(body.utf8)) }
        var forms: [(String, String)] = []
        var late = ""
        do throws(MoyaError) {
            let response = try await provider.request(target)
            let seconds = processorTime(toLog: response, of: target)
            if let most = order.limits?.masking, seconds > most {
                late = "; \(seconds) s of processor time for one log"
            }
            forms += printedForms(response, "Response")
            forms += printedForms(MoyaError.statusCode(response), "MoyaError.statusCode")
            forms += printedForms(MoyaError.jsonMapping(response), "MoyaError.jsonMapping")
            forms.append(("localizedDescription", MoyaError.statusCode(response).localizedDescription))
            if let error = failure(try response.filter(statusCode: 204)) { forms += printedForms(error, "filter") }
        } catch {
            forms += printedForms(error, "MoyaError")
            forms.append(("MoyaError.localizedDescription", error.localizedDescription))
        }
        forms += [("log", items.text), ("curl log", curl.text)]
        forms += printedForms(provider.endpoint(target), "Endpoint")
        forms += await requestForms(session, provider.endpoint(target))
        let shown = forms.filter { $0.1.contains(secret) }.map(\.0)
        if !items.text.contains("200") && !items.text.contains("500") || curl.text.isEmpty { return "an empty log" }
        if shown.isEmpty { return "hidden" + late }
        return shown.contains("log") && shown.contains("curl log")
            ? "readable" : "shown in \(shown.joined(separator: ", "))"
    }

    /// The processor time to log a response, the least of five tries, in seconds.
    private static func processorTime(toLog response: Moya.Response, of target: OrderedTarget) -> Double {
        let plugin = NetworkLoggerPlugin(configuration: .init(output: { _, _ in }, logOptions: .verbose))
        return (0..<5).map { _ in
            let started = clock()
            plugin.didReceive(.success(response), target: target)
            return Double(clock() - started) / Double(CLOCKS_PER_SEC)
        }.min() ?? 0
    }

    private static func failure(_ call: @autoclosure () throws -> Moya.Response) -> (any Error)? {
        do {
            _ = try call()
            return nil
        } catch {
            return error
        }
    }

    private static func requestForms(_ session: Session, _ endpoint: Endpoint) async -> [(String, String)] {
        guard let urlRequest = try? endpoint.urlRequest() else { return [] }
        let request = session.request(urlRequest)
        let response = await withCheckedContinuation { continuation in
            request.response(queue: .global()) { continuation.resume(returning: $0) }.resume()
        }
        return [("cURLDescription", request.cURLDescription())] + printedForms(request, "Request")
            + printedForms(response, "DataResponse")
    }

    private static func suffix(_ place: String, _ name: String) -> String {
        switch place {
        case "query": "/?a=b&\(name)=\(secret)&c=d"
        case "fragment": "/#\(name)=\(secret)"
        case "path": "/\(name)/\(secret)"
        default: "/"
        }
    }

    private static func body(_ place: String, _ name: String) -> String? {
        switch place {
        case "json": #"{"a":1,"\#(name)":"\#(secret)"}"#
        case "form": "a=b&\(name)=\(secret)"
        case "xml": "<a><\(name)>\(secret)</\(name)></a>"
        case "text": "a: b\n\(name): \(secret)\n"
        default: nil
        }
    }

    /// Prints a value that contains a secret in every way, and lists the ways that reveal the secret.
    @Sendable static func printed(_ order: Order) async throws -> String {
        guard let value = secretValue(order.name ?? "") else { return "an unknown value" }
        var forms = printedForms(value, "")
        if let error = value as? any Error { forms.append(("localizedDescription", error.localizedDescription)) }
        let shown = forms.filter { $0.1.contains(secret) }.map { $0.0.trimmingCharacters(in: .whitespaces) }
        return shown.isEmpty ? "hidden" : "shown in \(shown.joined(separator: ", "))"
    }

    private static func printedForms(_ value: Any, _ name: String) -> [(String, String)] {
        var dumped = ""
        dump(value, to: &dumped)
        return [
            ("\(name) description", "\(value)"), ("\(name) String(reflecting:)", String(reflecting: value)),
            ("\(name) in an array", "\([value])"), ("\(name) dump", dumped),
            ("\(name) in an optional", "\(Optional(value) as Any)"),
        ]
    }

    private static func secretValue(_ name: String) -> Any? {
        let url = URL(string: "https://user:\(secret)@a.test/?token=\(secret)")
        let plain = "https://a.test/?token=\(secret)"
        guard let url else { return nil }
        var request = URLRequest(url: url)
        request.setValue("Bearer \(secret)", forHTTPHeaderField: "Authorization")
        let head = HTTPURLResponse(
            url: url, statusCode: 401, httpVersion: nil, headerFields: ["Set-Cookie": "sid=\(secret)"])
        let response = Moya.Response(
            statusCode: 401, data: Data(#"{"token":"\#(secret)"}"#.utf8), request: request, response: head)
        let json: [String: any Sendable] = ["password": secret]
        return switch name {
        case "OAuthTokens": OAuthTokens(accessToken: secret, refreshToken: secret)
        case "InMemoryTokenStore": InMemoryTokenStore(OAuthTokens(accessToken: secret))
        case "Proxy":
            TransportConfiguration.Proxy(.http, host: "a", port: 1, credentials: .init(user: "u", password: secret))
        case "Proxy.Credentials": TransportConfiguration.Proxy.Credentials(user: "u", password: secret)
        case "TransportConfiguration":
            TransportConfiguration(
                clientIdentity: .pkcs12(Data(secret.utf8), password: secret),
                proxy: .custom(.init(.http, host: "a", port: 1, credentials: .init(user: "u", password: secret))))
        case "ClientIdentity.pem":
            TransportConfiguration.ClientIdentity.pem(
                certificateChain: Data(), privateKey: Data(secret.utf8), password: secret)
        case "ClientIdentity.pkcs12": TransportConfiguration.ClientIdentity.pkcs12(Data(), password: secret)
        case "TransportAuthentication": TransportAuthentication(scheme: .digest, user: "u", password: secret)
        case "HTTPHeader": HTTPHeader.authorization(bearerToken: secret)
        case "HTTPHeader.api-key": HTTPHeader(name: "X-Api-Key", value: secret)
        case "HTTPHeaders":
            HTTPHeaders([.authorization(bearerToken: secret), HTTPHeader(name: "Cookie", value: "sid=\(secret)")])
        case "HTTPField": HTTPField(name: "Authorization", value: "Bearer \(secret)")
        case "HTTPRequest":
            HTTPRequest(
                method: "POST", url: plain, fields: [HTTPField(name: "Authorization", value: "Bearer \(secret)")],
                body: .data(Data(#"{"password":"\#(secret)"}"#.utf8)),
                authentication: TransportAuthentication(scheme: .digest, user: "u", password: secret))
        case "TransportResponseHead":
            TransportResponseHead(status: 200, fields: [HTTPField(name: "Set-Cookie", value: "sid=\(secret)")])
        case "TransportEvent":
            TransportEvent.head(
                TransportResponseHead(status: 200, fields: [HTTPField(name: "Set-Cookie", value: "sid=\(secret)")]))
        case "TransportFailure":
            TransportFailure(.other, message: "GET \(plain) failed: Authorization: Bearer \(secret)")
        case "TransportEnd":
            TransportEnd(failure: TransportFailure(.other, message: "GET \(plain) failed"))
        case "RefreshGrant": RefreshGrant(tokenURL: url, clientID: "app", refreshToken: secret)
        case "Endpoint":
            Endpoint(
                url: plain, sampleResponseClosure: { .networkResponse(200, Data()) }, method: .post,
                task: .requestParameters(parameters: json, encoding: JSONEncoding.default),
                httpHeaderFields: ["Authorization": "Bearer \(secret)"])
        case "RequestTask.parameters": RequestTask.requestParameters(parameters: json, encoding: JSONEncoding.default)
        case "RequestTask.encodable": RequestTask.requestJSONEncodable(["password": secret])
        case "RequestTask.multipart":
            RequestTask.uploadMultipart([
                MultipartFormData(provider: .data(Data(secret.utf8)), name: "password")
            ])
        case "RequestTask.composite":
            RequestTask.requestCompositeParameters(
                bodyParameters: json, bodyEncoding: JSONEncoding.default, urlParameters: json)
        case "EndpointSampleResponse":
            head.map { EndpointSampleResponse.response($0, Data(#"{"token":"\#(secret)"}"#.utf8)) } as Any
        case "Response": response
        case "ProgressResponse": ProgressResponse(response: response)
        case "MoyaError.statusCode": MoyaError.statusCode(response)
        case "MoyaError.stringMapping": MoyaError.stringMapping(response)
        case "MoyaError.requestMapping": MoyaError.requestMapping(plain)
        case "MoyaError.underlying":
            MoyaError.underlying(SessionError.invalidURL(url: plain), response)
        case "MoyaError.objectMapping": MoyaError.objectMapping(SessionError.explicitlyCancelled, response)
        case "SessionError.invalidURL": SessionError.invalidURL(url: plain)
        case "SessionError.invalidURL.sign": SessionError.invalidURL(url: "http://user:a#\(secret)@a.test/")
        case "SessionError.invalidURL.components":
            SessionError.invalidURL(url: URLComponents(string: plain) ?? URLComponents())
        case "SessionError.body":
            SessionError.urlRequestValidationFailed(
                reason: .bodyDataInGETRequest(Data(#"{"token":"\#(secret)"}"#.utf8)))
        case "SessionError.missingHost": SessionError.urlRequestValidationFailed(reason: .missingHost(url: plain))
        case "SessionError.multipart":
            SessionError.multipartEncodingFailed(
                reason: .bodyPartHeaderInvalid(value: "Authorization: Bearer \(secret)"))
        case "SessionError.move":
            SessionError.downloadedFileMoveFailed(error: URLError(.unknown), source: url, destination: url)
        case "SessionError.task":
            SessionError.sessionTaskFailed(
                error: URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: "GET \(plain) failed"]))
        case "MultiTarget": MultiTarget(LoginTarget.login(user: "u", password: secret))
        case "DataResponse":
            DataResponse<String, SessionError>(
                request: request, response: head, data: Data(#"{"token":"\#(secret)"}"#.utf8), metrics: nil,
                serializationDuration: 0, result: .success(#"{"token":"\#(secret)"}"#))
        case "MultipartFormData": MultipartFormData(provider: .data(Data(secret.utf8)), name: "password")
        case "ServerSentEvent": ServerSentEvent(type: "login", data: secret)
        case "StreamPart.head": StreamPart.head(response)
        case "StreamPart.chunk": StreamPart.chunk(Data(secret.utf8))
        case "ResponseStreamError": ResponseStreamError.truncatedElement(secret)
        case "UploadStreamError": UploadStreamError.redirected(to: plain)
        default: nil
        }
    }
}

/// A target whose values are secrets.
enum LoginTarget: TargetType {
    case login(user: String, password: String)

    var baseURL: URL { URL(fileURLWithPath: "/") }
    var path: String { "" }
    var method: Moya.Method { .post }
    var task: RequestTask { .requestPlain }
    var headers: [String: String]? { nil }
}
