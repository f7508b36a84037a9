import Foundation
import Moya

// An app's own call with the name and the parameter of the package's, and another result. Compiled alone, since it is a
// candidate for every call of its module.
enum Shop: TargetType {
    case cart

    var baseURL: URL { URL(string: "https://shop.example")! }
    var path: String { "/cart" }
    var method: Moya.Method { .get }
    var task: Moya.Task { .requestPlain }
    var headers: [String: String]? { nil }
}

extension MoyaProvider {
    func request(_ target: Target) async -> Result<Response, MoyaError> {
        await withCheckedContinuation { continuation in
            self.request(target) { continuation.resume(returning: $0) }
        }
    }
}

func cart(of provider: MoyaProvider<Shop>) async -> Int? {
    let result = await provider.request(.cart)
    switch await provider.request(.cart) {
    case .success(let response): return response.statusCode
    case .failure: return try? result.get().statusCode
    }
}
