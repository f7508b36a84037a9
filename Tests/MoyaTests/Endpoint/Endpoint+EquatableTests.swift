import Foundation
import Moya
import MoyaSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An encoding that changes a request.
private struct ChangedEncoding: ParameterEncoding {
    let change: @Sendable (inout URLRequest) -> Void

    func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        change(&request)
        return request
    }
}

@Suite struct EndpointEqualityTests {
    private struct Value: Codable, Sendable {
        var firstName: String
    }

    private static let destination: DownloadDestination = { temporary, _ in (temporary, []) }
    private static let otherDestination: DownloadDestination = { temporary, _ in (temporary, .removePreviousFile) }

    private func endpoint(_ task: RequestTask, url: String = "https://example.com", header: String = "a") -> Endpoint {
        Endpoint(
            url: url, sampleResponseClosure: { .networkResponse(200, Data()) }, method: .post, task: task,
            httpHeaderFields: ["Header": header])
    }

    private func areEqual(_ one: RequestTask, _ other: RequestTask) -> Bool {
        let (one, other) = (endpoint(one), endpoint(other))
        if one == other { #expect(one.hashValue == other.hashValue) }
        return one == other
    }

    private func form(_ text: String) -> [MultipartFormData] {
        [MultipartFormData(provider: .data(Data(text.utf8)), name: "name")]
    }

    // MARK: Header fields

    @Test func encodingsThatMakeStreamsAreEqualToThemselvesOnly() {
        let stream = ChangedEncoding { $0.httpBodyStream = InputStream(data: Data("body".utf8)) }
        let task = RequestTask.requestParameters(parameters: [:], encoding: stream)
        let (one, other) = (endpoint(task), endpoint(task))
        #expect(one != other)
        #expect(Set([one, one, other]).count == 2)
    }

    @Test func differentCachePoliciesAreUnequal() {
        func task(_ policy: URLRequest.CachePolicy) -> RequestTask {
            .requestParameters(parameters: [:], encoding: ChangedEncoding { $0.cachePolicy = policy })
        }
        #expect(!areEqual(task(.returnCacheDataDontLoad), task(.reloadIgnoringLocalCacheData)))
        #expect(areEqual(task(.returnCacheDataDontLoad), task(.returnCacheDataDontLoad)))
    }

    @Test func noHeaderFieldsEqualAnEmptyDictionaryOfThem() {
        let (without, empty) = [nil, [:]].map { fields in
            Endpoint(
                url: "https://example.com", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .get,
                task: .requestPlain, httpHeaderFields: fields)
        }.pair
        #expect(without == empty)
        #expect(without.hashValue == empty.hashValue)
    }

    // MARK: Uploads

    @Test func equalFormsAreEqual() {
        #expect(areEqual(.uploadMultipart(form("test")), .uploadMultipart(form("test"))))
    }

    @Test func differentFormsAreUnequal() {
        #expect(!areEqual(.uploadMultipart(form("test")), .uploadMultipart(form("other"))))
    }

    /// Two spellings of one text in Unicode are equal strings, and different bytes.
    @Test(arguments: ["name", "fileName", "mimeType"])
    func formsWhosePartsDifferInBytesAreUnequal(changed: String) {
        let (one, other) = ["\u{E9}", "e\u{301}"].map { text in
            RequestTask.uploadMultipart([
                MultipartFormData(
                    provider: .data(Data()), name: changed == "name" ? text : "name",
                    fileName: changed == "fileName" ? text : nil, mimeType: changed == "mimeType" ? text : nil)
            ])
        }.pair
        #expect(!areEqual(one, other))
        #expect(areEqual(one, one))
    }

    @Test func formsOfOneStreamAreEqual() {
        let stream = InputStream(data: Data())
        let tasks = [1, 1, 2].map { length in
            RequestTask.uploadMultipart([MultipartFormData(provider: .stream(stream, length), name: "name")])
        }
        #expect(areEqual(tasks[0], tasks[1]))
        #expect(!areEqual(tasks[0], tasks[2]))
    }

    @Test func equalCompositeFormsAreEqual() {
        #expect(
            areEqual(
                .uploadCompositeMultipart(form("test"), urlParameters: ["a": 1]),
                .uploadCompositeMultipart(form("test"), urlParameters: ["a": 1])))
    }

    @Test func differentCompositeFormsAreUnequal() {
        #expect(
            !areEqual(
                .uploadCompositeMultipart(form("test"), urlParameters: ["a": 1]),
                .uploadCompositeMultipart(form("other"), urlParameters: ["a": 1])))
    }

    @Test func compositeFormsWithDifferentURLParametersAreUnequal() {
        #expect(
            !areEqual(
                .uploadCompositeMultipart(form("test"), urlParameters: ["a": 1]),
                .uploadCompositeMultipart(form("test"), urlParameters: ["a": 2])))
    }

    @Test func equalFilesAreEqual() {
        #expect(areEqual(.uploadFile(URL(fileURLWithPath: "/a")), .uploadFile(URL(fileURLWithPath: "/a"))))
    }

    @Test func differentFilesAreUnequal() {
        #expect(!areEqual(.uploadFile(URL(fileURLWithPath: "/a")), .uploadFile(URL(fileURLWithPath: "/b"))))
    }

    @Test func anUploadEqualsNoOtherKindOfTask() {
        #expect(!areEqual(.uploadFile(URL(fileURLWithPath: "/a")), .requestPlain))
        #expect(!areEqual(.uploadMultipart(form("test")), .requestPlain))
    }

    // MARK: Downloads

    @Test func sameDestinationsAreEqual() {
        #expect(areEqual(.downloadDestination(Self.destination), .downloadDestination(Self.destination)))
    }

    @Test func aDownloadEqualsNoOtherKindOfTask() {
        #expect(!areEqual(.downloadDestination(Self.destination), .requestPlain))
    }

    @Test func differentDestinationsAreEqual() {
        #expect(areEqual(.downloadDestination(Self.destination), .downloadDestination(Self.otherDestination)))
    }

    private func download(_ value: String) -> RequestTask {
        .downloadParameters(parameters: ["a": value], encoding: JSONEncoding.default, destination: Self.destination)
    }

    @Test func downloadsWithEqualParametersAreEqual() { #expect(areEqual(download("b"), download("b"))) }

    @Test func downloadsWithDifferentParametersAreUnequal() { #expect(!areEqual(download("b"), download("c"))) }

    // MARK: Requests

    @Test func plainRequestsAreEqual() { #expect(areEqual(.requestPlain, .requestPlain)) }

    @Test func equalDataIsEqual() {
        #expect(areEqual(.requestData(Data("a".utf8)), .requestData(Data("a".utf8))))
    }

    @Test func differentDataIsUnequal() {
        #expect(!areEqual(.requestData(Data("a".utf8)), .requestData(Data("b".utf8))))
    }

    @Test func equalEncodablesAreEqual() {
        #expect(areEqual(.requestJSONEncodable(Value(firstName: "a")), .requestJSONEncodable(Value(firstName: "a"))))
    }

    @Test func differentEncodablesAreUnequal() {
        #expect(!areEqual(.requestJSONEncodable(Value(firstName: "a")), .requestJSONEncodable(Value(firstName: "b"))))
    }

    private func custom(_ name: String, snakeCase: Bool = false) -> RequestTask {
        let encoder = JSONEncoder()
        if snakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
        return .requestCustomJSONEncodable(Value(firstName: name), encoder: encoder)
    }

    @Test func equalCustomEncodablesAreEqual() { #expect(areEqual(custom("a"), custom("a"))) }

    @Test func differentCustomEncodablesAreUnequal() { #expect(!areEqual(custom("a"), custom("b"))) }

    @Test func encoderThatWritesOtherKeysMakesUnequal() {
        #expect(!areEqual(custom("a"), custom("a", snakeCase: true)))
    }

    private func parameters(_ value: String) -> RequestTask {
        .requestParameters(parameters: ["a": value], encoding: URLEncoding.default)
    }

    @Test func equalParametersAreEqual() { #expect(areEqual(parameters("b"), parameters("b"))) }

    @Test func differentParametersAreUnequal() { #expect(!areEqual(parameters("b"), parameters("c"))) }

    private func compositeData(_ body: String, _ value: String) -> RequestTask {
        .requestCompositeData(bodyData: Data(body.utf8), urlParameters: ["a": value])
    }

    @Test func equalCompositeDataIsEqual() { #expect(areEqual(compositeData("a", "b"), compositeData("a", "b"))) }

    @Test func compositeDataWithDifferentBodiesIsUnequal() {
        #expect(!areEqual(compositeData("a", "b"), compositeData("b", "b")))
    }

    @Test func compositeDataWithDifferentURLParametersIsUnequal() {
        #expect(!areEqual(compositeData("a", "b"), compositeData("a", "c")))
    }

    private func composite(_ body: String, _ value: String) -> RequestTask {
        .requestCompositeParameters(
            bodyParameters: ["b": body], bodyEncoding: JSONEncoding.default, urlParameters: ["a": value])
    }

    @Test func equalCompositeParametersAreEqual() { #expect(areEqual(composite("a", "b"), composite("a", "b"))) }

    @Test func compositeParametersWithDifferentBodiesAreUnequal() {
        #expect(!areEqual(composite("a", "b"), composite("b", "b")))
    }

    @Test func compositeParametersWithDifferentURLParametersAreUnequal() {
        #expect(!areEqual(composite("a", "b"), composite("a", "c")))
    }

    // MARK: What else counts

    /// On Linux `URLRequest ==` does not see this.
    @Test func differentHeadersAreUnequal() { #expect(endpoint(.requestPlain) != endpoint(.requestPlain, header: "b")) }

    @Test func differentURLsAreUnequal() {
        #expect(endpoint(.requestPlain) != endpoint(.requestPlain, url: "https://example.org"))
    }

    @Test func differentSampleClosuresAreEqual() {
        let other = Endpoint(
            url: "https://example.com", sampleResponseClosure: { .networkResponse(404, Data("x".utf8)) }, method: .post,
            task: .requestPlain, httpHeaderFields: ["Header": "a"])
        #expect(endpoint(.requestPlain) == other)
    }

    @Test func endpointsThatBuildNoRequestAreEqualByTheirURL() {
        #expect(endpoint(.requestPlain, url: "not a url") == endpoint(.requestPlain, url: "not a url"))
        #expect(endpoint(.requestPlain, url: "not a url") != endpoint(.requestPlain, url: "nor this one"))
    }

    @Test func endpointThatBuildsARequestDiffersFromOneThatDoesNot() {
        #expect(endpoint(.requestPlain) != endpoint(.requestPlain, url: "not a url"))
    }

    /// The order in which a dictionary was filled is not part of its value, but JSON is written in the order of the
    /// dictionary's storage.
    @Test func equalParametersAreEqualInAnyOrder() {
        let (one, other) = Self.filledInTwoOrders
        #expect(
            areEqual(
                .requestParameters(parameters: one, encoding: JSONEncoding.default),
                .requestParameters(parameters: other, encoding: JSONEncoding.default)))
    }

    @Test func equalFormsOfParametersAreEqualInAnyOrder() {
        let (one, other) = Self.filledInTwoOrders
        #expect(
            areEqual(
                .requestParameters(parameters: one, encoding: URLEncoding.default),
                .requestParameters(parameters: other, encoding: URLEncoding.default)))
    }

    @Test func equalEncodablesAreEqualInAnyOrder() {
        let (one, other) = Self.filledInTwoOrders
        #expect(areEqual(.requestJSONEncodable(one), .requestJSONEncodable(other)))
    }

    private static var filledInTwoOrders: ([String: String], [String: String]) {
        let keys = (0..<40).map { "key\($0)" }
        var one: [String: String] = [:]
        var other: [String: String] = Dictionary(minimumCapacity: 1_000)
        for key in keys { one[key] = key }
        for key in keys.reversed() { other[key] = key }
        return (one, other)
    }
}

extension Array {
    fileprivate var pair: (Element, Element) { (self[0], self[1]) }
}
