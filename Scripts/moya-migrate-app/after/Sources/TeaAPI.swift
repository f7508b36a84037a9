import Foundation
import Moya

enum TeaAPI {
    case teas(page: Int)
    case order(Order)
    case picture(Data)
}

struct Order: Codable {
    let tea: String
    let count: Int
}

struct Tea: Codable {
    let name: String
}

extension TeaAPI: TargetType, AccessTokenAuthorizable {
    var baseURL: URL { return URL(string: "https://teahouse.example.com")! }

    var path: String {
        switch self {
        case .teas: return "/teas"
        case .order: return "/orders"
        case .picture: return "/pictures"
        }
    }

    var method: Moya.Method {
        switch self {
        case .teas: return .get
        case .order, .picture: return .post
        }
    }

    var task: Task {
        switch self {
        case .teas(let page):
            return .requestParameters(parameters: ["page": page], encoding: URLEncoding.default)
        case .order(let order):
            return .requestJSONEncodable(order)
        case .picture(let data):
            return .uploadMultipart([MultipartFormData(provider: .data(data), name: "picture")])
        }
    }

    var headers: [String: String]? { return nil }

    var sampleData: Data { return Data("[{\"name\": \"Assam\"}]".utf8) }

    // The log-in of Alamofire.Manager's time is gone.
    var authorizationType: AuthorizationType? {
        switch self {
        case .teas: return .none
        case .order, .picture: return .bearer
        }
    }
}
