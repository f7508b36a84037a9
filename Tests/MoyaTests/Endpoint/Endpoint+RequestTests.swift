import Foundation
import Moya
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct EndpointRequestTests {
    private struct Value: Codable, Equatable, Sendable {
        var name = "name"
        var date = Date(timeIntervalSince1970: 1_000)
    }

    /// Fails for every value, like a property list for an unsupported object.
    private struct RefusingEncoding: ParameterEncoding {
        struct Refusal: Error, Equatable {}

        func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
            throw Refusal()
        }
    }

    private static let url = "https://example.com/path"
    private static let destination: DownloadDestination = { temporary, _ in (temporary, []) }

    private func endpoint(
        _ task: RequestTask, method: Moya.Method = .post, headers: [String: String]? = ["Title": "Dominar"],
        url: String = url
    ) -> Endpoint {
        Endpoint(
            url: url, sampleResponseClosure: { .networkResponse(200, Data()) }, method: method, task: task,
            httpHeaderFields: headers)
    }

    // MARK: The URL

    @Test func unparsableURLIsARequestMappingError() {
        let endpoint = endpoint(.requestPlain, url: "some invalid URL")
        let error = #expect(throws: MoyaError.self) { try endpoint.urlRequest() }
        guard case .requestMapping(let url) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(url == "some invalid URL")
    }

    @Test(arguments: ["", "http://exa mple.com", "http://[::1", "http://example.com/%zz", "http://example.com/ü"])
    func malformedURLIsRefused(_ url: String) {
        #expect(throws: MoyaError.self) { try endpoint(.requestPlain, url: url).urlRequest() }
    }

    @Test func nilHeadersAddNoHeaders() throws {
        let request = try endpoint(.requestPlain, headers: nil).urlRequest()
        #expect((request.allHTTPHeaderFields ?? [:]).isEmpty)
    }

    // MARK: Tasks that add nothing

    private static let plainTasks: [RequestTask] = [
        .requestPlain, .uploadFile(URL(fileURLWithPath: "/file")), .uploadMultipart([]),
        .downloadDestination(destination),
    ]

    @Test(arguments: plainTasks.indices) func plainTaskHasNoBody(_ index: Int) throws {
        #expect(try endpoint(Self.plainTasks[index]).urlRequest().httpBody == nil)
    }

    @Test(arguments: plainTasks.indices) func plainTaskKeepsTheURL(_ index: Int) throws {
        #expect(try endpoint(Self.plainTasks[index]).urlRequest().url?.absoluteString == Self.url)
    }

    @Test(arguments: plainTasks.indices) func plainTaskKeepsTheHeaders(_ index: Int) throws {
        #expect(try endpoint(Self.plainTasks[index]).urlRequest().allHTTPHeaderFields == ["Title": "Dominar"])
    }

    @Test(arguments: plainTasks.indices) func plainTaskKeepsTheMethod(_ index: Int) throws {
        #expect(try endpoint(Self.plainTasks[index]).urlRequest().httpMethod == "POST")
    }

    // MARK: Parameters

    private static let encodings: [any ParameterEncoding] = [
        URLEncoding.default, URLEncoding.queryString, URLEncoding.httpBody, JSONEncoding.default,
    ]

    @Test(arguments: encodings.indices, [true, false])
    func parametersAreEncodedAsByTheEncodingItself(_ index: Int, _ isDownload: Bool) throws {
        let encoding = Self.encodings[index]
        let parameters: Parameters = ["Nemesis": "Harvey"]
        let task: RequestTask =
            isDownload
            ? .downloadParameters(parameters: parameters, encoding: encoding, destination: Self.destination)
            : .requestParameters(parameters: parameters, encoding: encoding)
        let found = try endpoint(task).urlRequest()
        let expected = try encoding.encode(try endpoint(.requestPlain).urlRequest(), with: parameters)
        #expect(found.url == expected.url)
        #expect(found.httpBody == expected.httpBody)
        #expect(found.allHTTPHeaderFields == expected.allHTTPHeaderFields)
        #expect(found.httpMethod == expected.httpMethod)
    }

    @Test func encodingThatThrowsIsAParameterEncodingError() {
        let endpoint = endpoint(.requestParameters(parameters: ["a": 1], encoding: RefusingEncoding()))
        let error = #expect(throws: MoyaError.self) { try endpoint.urlRequest() }
        guard case .parameterEncoding(let cause) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause is RefusingEncoding.Refusal)
    }

    @Test func parametersThatJSONCannotHoldAreAParameterEncodingError() {
        let endpoint = endpoint(.requestParameters(parameters: ["a": Date()], encoding: JSONEncoding.default))
        let error = #expect(throws: MoyaError.self) { try endpoint.urlRequest() }
        guard case .parameterEncoding = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    // MARK: Data

    @Test func dataIsTheBody() throws {
        #expect(try endpoint(.requestData(Data("test".utf8))).urlRequest().httpBody == Data("test".utf8))
    }

    @Test func dataAddsNoHeader() throws {
        let request = try endpoint(.requestData(Data("test".utf8))).urlRequest()
        #expect(request.allHTTPHeaderFields == ["Title": "Dominar"])
    }

    @Test func dataKeepsTheURL() throws {
        #expect(try endpoint(.requestData(Data("test".utf8))).urlRequest().url?.absoluteString == Self.url)
    }

    @Test func dataKeepsTheMethod() throws {
        #expect(try endpoint(.requestData(Data("test".utf8))).urlRequest().httpMethod == "POST")
    }

    // MARK: Encodables

    private static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        return encoder
    }

    @Test func encodableBodyCanBeDecoded() throws {
        let body = try #require(try endpoint(.requestJSONEncodable(Value())).urlRequest().httpBody)
        #expect(try JSONDecoder().decode(Value.self, from: body) == Value())
    }

    @Test func customEncoderWritesTheBody() throws {
        let task = RequestTask.requestCustomJSONEncodable(Value(), encoder: Self.encoder())
        let body = try #require(try endpoint(task).urlRequest().httpBody)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        #expect(try decoder.decode(Value.self, from: body) == Value())
    }

    @Test(arguments: [false, true]) func encodableAddsAContentTypeToTheHeaders(_ isCustom: Bool) throws {
        let headers = try endpoint(encodable(isCustom)).urlRequest().allHTTPHeaderFields
        #expect(headers == ["Title": "Dominar", "Content-Type": "application/json"])
    }

    @Test(arguments: [false, true], ["Content-Type", "content-type"])
    func encodableKeepsAContentTypeOfTheTarget(_ isCustom: Bool, _ name: String) throws {
        let request = try endpoint(encodable(isCustom), headers: [name: "application/vnd.api+json"]).urlRequest()
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/vnd.api+json")
    }

    @Test(arguments: [false, true]) func encodableKeepsTheURL(_ isCustom: Bool) throws {
        #expect(try endpoint(encodable(isCustom)).urlRequest().url?.absoluteString == Self.url)
    }

    @Test(arguments: [false, true]) func encodableKeepsTheMethod(_ isCustom: Bool) throws {
        #expect(try endpoint(encodable(isCustom)).urlRequest().httpMethod == "POST")
    }

    @Test func infinityIsAnEncodableMappingError() {
        let endpoint = endpoint(.requestJSONEncodable(["number": Double.infinity]))
        let error = #expect(throws: MoyaError.self) { try endpoint.urlRequest() }
        guard case .encodableMapping(let cause) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause is EncodingError)
    }

    private func encodable(_ isCustom: Bool) -> RequestTask {
        isCustom ? .requestCustomJSONEncodable(Value(), encoder: Self.encoder()) : .requestJSONEncodable(Value())
    }

    // MARK: Composites

    private var compositeData: Endpoint {
        endpoint(.requestCompositeData(bodyData: Data("test".utf8), urlParameters: ["Nemesis": "Harvey"]))
    }

    @Test func compositeDataAppendsTheParametersToTheURL() throws {
        #expect(try compositeData.urlRequest().url?.absoluteString == Self.url + "?Nemesis=Harvey")
    }

    @Test func compositeDataIsTheBody() throws { #expect(try compositeData.urlRequest().httpBody == Data("test".utf8)) }

    @Test func compositeDataKeepsTheHeaders() throws {
        #expect(try compositeData.urlRequest().allHTTPHeaderFields == ["Title": "Dominar"])
    }

    @Test func compositeDataKeepsTheMethod() throws { #expect(try compositeData.urlRequest().httpMethod == "POST") }

    private func composite(_ encoding: any ParameterEncoding) -> Endpoint {
        endpoint(
            .requestCompositeParameters(
                bodyParameters: ["Nemesis": "Harvey"], bodyEncoding: encoding, urlParameters: ["Harvey": "Nemesis"]))
    }

    @Test func compositeParametersAppendTheURLParameters() throws {
        let request = try composite(JSONEncoding.default).urlRequest()
        #expect(request.url?.absoluteString == Self.url + "?Harvey=Nemesis")
    }

    @Test func compositeParametersHaveTheBodyOfTheBodyEncoding() throws {
        let expected = try JSONEncoding.default.encode(
            try endpoint(.requestPlain).urlRequest(), with: ["Nemesis": "Harvey"])
        #expect(try composite(JSONEncoding.default).urlRequest().httpBody == expected.httpBody)
    }

    @Test func compositeParametersHaveTheHeadersOfTheBodyEncoding() throws {
        let request = try composite(JSONEncoding.default).urlRequest()
        #expect(request.allHTTPHeaderFields == ["Title": "Dominar", "Content-Type": "application/json"])
    }

    @Test func compositeParametersKeepTheMethod() throws {
        #expect(try composite(JSONEncoding.default).urlRequest().httpMethod == "POST")
    }

    @Test func compositeParametersMayBeAForm() throws {
        #expect(try composite(URLEncoding.httpBody).urlRequest().httpBody == Data("Nemesis=Harvey".utf8))
    }

    @Test(arguments: [URLEncoding.queryString, URLEncoding.default])
    func compositeBodyEncodingThatIsNotOfTheBodyIsThrownNotTrapped(_ encoding: URLEncoding) {
        let error = #expect(throws: MoyaError.self) { try composite(encoding).urlRequest() }
        guard case .parameterEncoding(let cause) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.localizedDescription.contains("URLEncoding.httpBody"))
    }

    @Test func compositeMultipartAppendsTheURLParameters() throws {
        let request = try endpoint(.uploadCompositeMultipart([], urlParameters: ["Nemesis": "Harvey"])).urlRequest()
        #expect(request.url?.absoluteString == Self.url + "?Nemesis=Harvey")
    }

    @Test func compositeMultipartHasNoBodyYet() throws {
        let request = try endpoint(.uploadCompositeMultipart([], urlParameters: ["Nemesis": "Harvey"])).urlRequest()
        #expect(request.httpBody == nil)
    }
}
