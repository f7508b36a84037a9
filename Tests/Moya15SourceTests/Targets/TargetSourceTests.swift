#if TaskAlias
import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A model with state, as apps send it.
class Draft: Encodable {
    var title: String
    var tags: [String] = []
    init(title: String) { self.title = title }
}

class Buffer {
    var bytes = Data()
}

/// A target whose cases hold classes, closures, dictionaries of anything and existentials.
enum EditorAPI {
    case save(Draft)
    case search(parameters: [String: Any])
    case combined(body: [String: Any], query: [String: Any])
    case composite(Data, [String: Any])
    case snake(Encodable)
    case upload(image: Data, fields: [String: Any]?)
    case attachments([MultipartFormData], [String: Any])
    case file(URL)
    case export(destination: DownloadDestination)
    case query(DownloadDestination, [String: Any])
    case raw(Buffer)
    case callback(() -> [String: Any])
}

extension EditorAPI: TargetType {
    var baseURL: URL { return URL(string: "https://editor.example.com")! }
    var path: String { return "/drafts" }
    var method: Moya.Method {
        switch self {
        case .search, .export, .query: return .get
        default: return .post
        }
    }

    var parameters: [String: Any]? {
        switch self {
        case .search(let parameters): return parameters
        case .callback(let make): return make()
        default: return nil
        }
    }

    var task: Task {
        switch self {
        case .save(let draft):
            return .requestJSONEncodable(draft)
        case .search, .callback:
            return .requestParameters(parameters: parameters ?? [:], encoding: URLEncoding.default)
        case .combined(let body, let query):
            return .requestCompositeParameters(
                bodyParameters: body, bodyEncoding: JSONEncoding.default, urlParameters: query)
        case .composite(let data, let query):
            return .requestCompositeData(bodyData: data, urlParameters: query)
        case .snake(let value):
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            return .requestCustomJSONEncodable(value, encoder: encoder)
        case .upload(let image, let fields):
            var formData = [
                MultipartFormData(provider: .data(image), name: "image", fileName: "photo.jpg", mimeType: "image/jpeg")
            ]
            for (key, value) in fields ?? [:] {
                formData.append(MultipartFormData(provider: .data("\(value)".data(using: .utf8)!), name: key))
            }
            return .uploadMultipart(formData)
        case .attachments(let parts, let query):
            return .uploadCompositeMultipart(parts, urlParameters: query)
        case .file(let url):
            return .uploadFile(url)
        case .export(let destination):
            return .downloadDestination(destination)
        case .query(let destination, let parameters):
            return .downloadParameters(
                parameters: parameters, encoding: URLEncoding.queryString, destination: destination)
        case .raw(let data):
            return .requestData(data.bytes)
        }
    }
    var headers: [String: String]? { return nil }
    var sampleData: Data { return Data() }
}

/// A target that is a class with state.
class SearchTarget: TargetType {
    var page = 1
    var filters: [String: Any] = [:]
    var baseURL: URL { return URL(string: "https://search.example.com")! }
    var path: String { return "find" }
    var method: Moya.Method { return .get }
    var task: Moya.Task {
        var parameters = filters
        parameters["page"] = page
        return .requestParameters(
            parameters: parameters, encoding: URLEncoding(arrayEncoding: .noBrackets, boolEncoding: .literal))
    }
    var headers: [String: String]? { return ["Accept": "application/json"] }
}

class NarrowSearchTarget: SearchTarget {
    override var path: String { return "find/narrow" }
}

/// A target that is a generic struct.
struct Fetch<Model: Decodable>: TargetType {
    var model: Model?
    let id: Int
    var onDecode: ((Model) -> Void)?
    var baseURL: URL { URL(string: "https://models.example.com")! }
    var path: String { "\(Model.self)/\(id)".lowercased() }
    var method: Moya.Method { .get }
    var task: Task { .requestPlain }
    var headers: [String: String]? { nil }
}

/// A protocol of the app's over Moya's.
protocol AppTarget: TargetType, AccessTokenAuthorizable {
    var cacheKey: String? { get }
    var parameters: [String: Any]? { get }
    var parameterEncoding: ParameterEncoding { get }
}

extension AppTarget {
    var baseURL: URL { return URL(string: "https://app.example.com")! }
    var task: Task {
        guard let parameters = parameters else { return .requestPlain }
        return .requestParameters(parameters: parameters, encoding: parameterEncoding)
    }
    var headers: [String: String]? { return ["X-Cache": cacheKey ?? "none"] }
    var parameterEncoding: ParameterEncoding { return method == .get ? URLEncoding.default : JSONEncoding.default }
    var authorizationType: AuthorizationType? { return .bearer }
}

struct Login: AppTarget {
    let user: String
    var extra: [String: Any]
    var cacheKey: String?
    var path: String { return "login" }
    var method: Moya.Method { return .post }
    var parameters: [String: Any]? { return extra.merging(["user": user]) { $1 } }
    var validationType: ValidationType { return .customCodes([200, 201]) }
    var authorizationType: AuthorizationType? { return .custom("Token") }
}

@Suite struct TargetSourceTests {
    private func request(_ target: TargetType) throws -> URLRequest {
        try MoyaProvider<MultiTarget>().endpoint(MultiTarget(target)).urlRequest()
    }

    private func object(_ request: URLRequest) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: #require(request.httpBody)) as? [String: Any] ?? [:]
    }

    @Test func encodableClassIsSentAsJSON() throws {
        let draft = Draft(title: "a")
        draft.tags.append("b")
        let request = try request(EditorAPI.save(draft))
        #expect(try object(request)["title"] as? String == "a")
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test func dictionaryOfAnythingIsSentAsQuery() throws {
        var parameters: [String: Any] = ["q": "moya", "limit": 10]
        parameters["exact"] = true
        parameters["tags"] = ["a", "b"] as [Any]
        let request = try request(EditorAPI.search(parameters: parameters))
        #expect(request.url?.query == "exact=1&limit=10&q=moya&tags%5B%5D=a&tags%5B%5D=b")
    }

    @Test func dictionaryFromAClosureIsSentAsForm() throws {
        let request = try request(EditorAPI.callback { ["now": NSNumber(value: 1), "nothing": "x" as Any] })
        #expect(request.httpBody == Data("nothing=x&now=1".utf8))
    }

    @Test func bodyAndQueryAreSentTogether() throws {
        let request = try request(EditorAPI.combined(body: ["nested": ["a": 1] as [String: Any]], query: ["v": 2]))
        #expect(request.url?.query == "v=2")
        #expect((try object(request)["nested"] as? [String: Any])?["a"] as? Int == 1)
    }

    @Test func dataAndQueryAreSentTogether() throws {
        let request = try request(EditorAPI.composite(Data([1]), ["v": 2]))
        #expect(request.url?.query == "v=2")
        #expect(request.httpBody == Data([1]))
    }

    @Test func existentialIsEncodedByACustomEncoder() throws {
        struct Page: Encodable { let pageNumber = 3 }
        let value: Encodable = Page()
        #expect(try object(request(EditorAPI.snake(value)))["page_number"] as? Int == 3)
    }

    @Test func bytesOfAClassAreSentAsTheyAre() throws {
        let buffer = Buffer()
        buffer.bytes.append(7)
        #expect(try request(EditorAPI.raw(buffer)).httpBody == Data([7]))
    }

    @Test func partsAreMadeInALoopOverAnything() {
        guard case .uploadMultipart(let parts) = EditorAPI.upload(image: Data(), fields: ["n": 5]).task else {
            Issue.record("no form"); return
        }
        #expect(parts.map(\.name) == ["image", "n"])
    }

    @Test func classTargetIsReadAsItIsNow() throws {
        let target = SearchTarget()
        target.page = 2
        target.filters["open"] = true
        #expect(try request(target).url?.absoluteString == "https://search.example.com/find?open=true&page=2")
    }

    @Test func subclassedTargetOverridesItsPath() throws {
        #expect(try request(NarrowSearchTarget()).url?.path == "/find/narrow")
    }

    @Test func genericTargetHoldsAClosure() throws {
        let target = Fetch<User>(model: nil, id: 4, onDecode: { _ in })
        #expect(try request(target).url?.absoluteString == "https://models.example.com/user/4")
    }

    @Test func protocolOfTheAppsGivesDefaults() throws {
        let login = Login(user: "ash", extra: ["device": ["os": "linux"] as Any], cacheKey: "k")
        let request = try request(login)
        #expect(request.value(forHTTPHeaderField: "X-Cache") == "k")
        #expect(try object(request)["user"] as? String == "ash")
        #expect(MultiTarget(login).authorizationType == .custom("Token"))
    }

    @Test func everyTaskIsMatched() {
        func name(_ task: Task) -> String {
            switch task {
            case .requestPlain: return "plain"
            case .requestData(let data): return "data \(data.count)"
            case .requestJSONEncodable(let encodable): return "json \(type(of: encodable))"
            case .requestCustomJSONEncodable(_, encoder: _): return "custom json"
            case let .requestParameters(parameters, encoding):
                return "parameters \(parameters.count) \(encoding is URLEncoding)"
            case .requestCompositeData(bodyData: let data, urlParameters: let parameters):
                return "\(data.count) \(parameters.count)"
            case let .requestCompositeParameters(bodyParameters: body, bodyEncoding: _, urlParameters: url):
                return "\(body.count) \(url.count)"
            case .uploadFile(let url): return url.lastPathComponent
            case .uploadMultipart(let parts): return "\(parts.count)"
            case .uploadCompositeMultipart(let parts, urlParameters: let parameters):
                return "\(parts.count) \(parameters.count)"
            case .downloadDestination: return "download"
            case .downloadParameters(let parameters, _, _): return "download \(parameters.count)"
            }
        }
        let destination: DownloadDestination = { temporaryURL, response in
            (temporaryURL, [.removePreviousFile, .createIntermediateDirectories])
        }
        #expect(name(EditorAPI.save(Draft(title: "")).task) == "json Draft")
        #expect(name(EditorAPI.search(parameters: ["a": 1]).task) == "parameters 1 true")
        #expect(name(EditorAPI.query(destination, ["a": 1]).task) == "download 1")
        #expect(name(EditorAPI.attachments([], ["a": 1]).task) == "0 1")
        #expect(name(EditorAPI.file(URL(fileURLWithPath: "/tmp/x")).task) == "x")
        #expect(name(EditorAPI.export(destination: destination).task) == "download")
    }

    @Test func parametersOfATaskAreADictionaryOfAnything() {
        guard case .requestParameters(var parameters, _) = EditorAPI.search(parameters: ["a": 1]).task else {
            Issue.record("no parameters"); return
        }
        parameters["b"] = "two"
        let all: [String: Any] = parameters
        #expect(all["a"] as? Int == 1)
        #expect(all["b"] as? String == "two")
    }
}
#endif
