#if TaskAlias
import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Several APIs over one provider.

/// A target that declares its response type.
protocol DecodableTarget: TargetType {
    associatedtype Output: Decodable
}

enum ShopAPI {
    struct Item: Decodable, Equatable {
        let name: String
        let price: Double
    }

    struct Items: DecodableTarget {
        typealias Output = [Item]
        let page: Int
        var path: String { return "/items" }
        var task: Task {
            return .requestParameters(parameters: ["page": page, "per_page": 20], encoding: URLEncoding.default)
        }
        var sampleData: Data { return Data(#"[{"name": "Kettle", "price": 12.5}]"#.utf8) }
    }

    struct Rename: DecodableTarget {
        typealias Output = Item
        let id: Int
        let name: String
        var path: String { return "/items/\(id)" }
        var method: Moya.Method { return .patch }
        var task: Task {
            return .requestCompositeParameters(
                bodyParameters: ["name": name], bodyEncoding: JSONEncoding.default, urlParameters: ["notify": true])
        }
        var sampleData: Data { return Data("{\"name\": \"\(name)\", \"price\": 1}".utf8) }
    }
}

// Shared by all targets of the app.
extension TargetType where Self: DecodableTarget {
    var baseURL: URL { return URL(string: "https://shop.example.com/api/v2")! }
    var method: Moya.Method { return .get }
    var headers: [String: String]? { return ["Accept": "application/json"] }
    var validationType: ValidationType { return .successAndRedirectCodes }
}

final class ItemClient {
    private let provider: MoyaProvider<MultiTarget>

    init(_ provider: MoyaProvider<MultiTarget> = MoyaProvider<MultiTarget>(stubClosure: MoyaProvider.immediatelyStub)) {
        self.provider = provider
    }

    @discardableResult
    func send<T: DecodableTarget>(_ target: T, completion: @escaping (Result<T.Output, MoyaError>) -> Void)
        -> Cancellable
    {
        return provider.request(.target(target)) { result in
            completion(
                result.flatMap { response in
                    do { return .success(try response.map(T.Output.self)) } catch {
                        return .failure(error as? MoyaError ?? .underlying(error, response))
                    }
                })
        }
    }

    func sendAll(_ targets: [TargetType], completion: @escaping ([Int]) -> Void) {
        var codes: [Int] = []
        for target in targets {
            provider.request(MultiTarget(target)) { result in codes.append((try? result.get().statusCode) ?? -1) }
        }
        completion(codes)
    }
}

/// An environment that decides the base of all URLs.
enum Environment: String {
    case staging, production
    static var current = Environment.staging
    var url: URL { return URL(string: "https://\(rawValue).example.com")! }
}

enum AccountAPI: TargetType {
    case logIn(user: String, password: String), avatar(Data, name: String), report([String: Any]), export

    var baseURL: URL { return Environment.current.url }
    var path: String {
        switch self {
        case .logIn: return "login"
        case .avatar(_, let name): return "avatars/\(name)"
        case .report: return "report"
        case .export: return "export"
        }
    }
    var method: Moya.Method {
        switch self {
        case .export: return .get
        default: return .post
        }
    }
    var task: Task {
        switch self {
        case let .logIn(user, password):
            return .requestParameters(parameters: ["user": user, "password": password], encoding: URLEncoding.httpBody)
        case let .avatar(data, name):
            let parts = [
                MultipartFormData(provider: .data(data), name: "file", fileName: "\(name).png", mimeType: "image/png"),
                MultipartFormData(provider: .data("1".data(using: .utf8)!), name: "kind"),
            ]
            return .uploadCompositeMultipart(parts, urlParameters: ["size": "large"])
        case .report(let values):
            return .requestParameters(parameters: values, encoding: JSONEncoding.prettyPrinted)
        case .export:
            return .downloadDestination { temporary, response in
                (
                    FileManager.default.temporaryDirectory.appendingPathComponent(response.suggestedFilename ?? "a"),
                    .removePreviousFile
                )
            }
        }
    }
    var headers: [String: String]? { return nil }
}

@Suite struct ManyTargetsTests {
    @Test func targetDeclaresItsResponseType() {
        var items: [ShopAPI.Item]?
        ItemClient().send(ShopAPI.Items(page: 2)) { items = try? $0.get() }
        #expect(items == [.init(name: "Kettle", price: 12.5)])
    }

    @Test func defaultsOfAnExtensionAreOverridden() {
        #expect(ShopAPI.Items(page: 1).method == .get)
        #expect(ShopAPI.Rename(id: 1, name: "a").method == .patch)
        #expect(MultiTarget(ShopAPI.Rename(id: 1, name: "a")).method == .patch)
    }

    @Test func compositeParametersGoToBothPlaces() throws {
        let endpoint = MoyaProvider<MultiTarget>.defaultEndpointMapping(
            for: MultiTarget(ShopAPI.Rename(id: 7, name: "a")))
        let request = try endpoint.urlRequest()
        #expect(request.url?.absoluteString == "https://shop.example.com/api/v2/items/7?notify=1")
        #expect(request.httpBody == Data(#"{"name":"a"}"#.utf8))
    }

    @Test func targetsOfDifferentTypesFormAList() {
        var codes: [Int] = []
        ItemClient().sendAll([GitHub.zen, ShopAPI.Items(page: 1), AccountAPI.logIn(user: "a", password: "b")]) {
            codes = $0
        }
        #expect(codes == [200, 200, 200])
    }

    @Test func environmentDecidesTheURL() {
        Environment.current = .production
        defer { Environment.current = .staging }
        #expect(URL(target: AccountAPI.export).absoluteString == "https://production.example.com/export")
    }

    @Test func formGoesIntoTheBody() throws {
        let endpoint = MoyaProvider<AccountAPI>.defaultEndpointMapping(for: .logIn(user: "a b", password: "&"))
        #expect(try endpoint.urlRequest().httpBody == Data("password=%26&user=a%20b".utf8))
    }

    @Test func valuesOfAnyKindAreJSON() throws {
        let endpoint = MoyaProvider<AccountAPI>.defaultEndpointMapping(
            for: .report(["a": 1, "b": ["c", nil] as [Any?], "d": true]))
        let body = try #require(try endpoint.urlRequest().httpBody)
        let json = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
        #expect(json["d"] as? Bool == true && (json["b"] as? [Any])?.count == 2)
    }

    @Test func partsOfAFormAreKept() {
        guard case let .uploadCompositeMultipart(parts, parameters) = AccountAPI.avatar(Data(), name: "ash").task else {
            Issue.record("no form"); return
        }
        #expect(parts.map(\.name) == ["file", "kind"] && parts[0].fileName == "ash.png")
        #expect(parameters["size"] as? String == "large")
    }
}
#endif
