// The samples stand as they do in MIGRATING.md.
// swift-format-ignore-file
#if TaskAlias
import Foundation
import Moya
import MoyaSession
import Testing

// snippet: moya15-target
enum Shop {
    case items(page: Int)
    case upload(photo: Data)
}

extension Shop: TargetType {
    var baseURL: URL { return URL(string: "https://shop.example.com")! }
    var path: String {
        switch self {
        case .items: return "/items"
        case .upload: return "/photos"
        }
    }
    var method: Moya.Method {
        switch self {
        case .items: return .get
        case .upload: return .post
        }
    }
    var task: Task {
        switch self {
        case .items(let page):
            return .requestParameters(parameters: ["page": page], encoding: URLEncoding.queryString)
        case .upload(let photo):
            return .uploadMultipart([
                MultipartFormData(provider: .data(photo), name: "photo", fileName: "photo.jpg", mimeType: "image/jpeg")
            ])
        }
    }
    var headers: [String: String]? { return ["Accept": "application/json"] }
    var sampleData: Data { return Data("[{\"name\": \"Kettle\"}]".utf8) }
}
// end

struct Item: Decodable { let name: String }

// snippet: moya15-client
final class ShopClient {
    private let provider: MoyaProvider<Shop>

    init(provider: MoyaProvider<Shop> = MoyaProvider<Shop>(plugins: [NetworkLoggerPlugin()])) {
        self.provider = provider
    }

    @discardableResult
    func items(page: Int, completion: @escaping (Result<[Item], Error>) -> Void) -> Cancellable {
        return provider.request(.items(page: page)) { result in
            switch result {
            case .success(let response):
                completion(Result { try response.filterSuccessfulStatusCodes().map([Item].self) })
            case .failure(let error):
                completion(.failure(error))
            }
        }
    }
}
// end

/// The sample of MIGRATING.md that is code of Moya 15, in the language mode that it was written in.
@Suite struct MigratingFromMoya15Tests {
    @Test func codeOfMoya15RunsUnchanged() throws {
        let client = ShopClient(provider: MoyaProvider<Shop>(stubClosure: MoyaProvider.immediatelyStub))
        var names: [String]?
        client.items(page: 1) { names = try? $0.get().map(\.name) }
        #expect(names == ["Kettle"])
    }

    @Test func everyNameOfTheSessionComesWithMoya() {
        let session: Moya.Session = Session(configuration: .af.default)
        let headers: HTTPHeaders = session.sessionConfiguration.headers
        let error: AFError = .explicitlyCancelled
        #expect(headers["Accept-Encoding"] != nil)
        #expect(error.isExplicitlyCancelledError)
    }
}
#endif
