// Code for Moya 15 that causes warnings in Swift 5 mode, which a library cannot prevent. Scripts/compiler-messages compares
// them with these comments, and the comments with the table in MIGRATING.
import Foundation
import Moya
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

enum Bakery: TargetType {
    case loaves

    var baseURL: URL { return URL(string: "https://bakery.example.com")! }
    var path: String { return "/loaves" }
    var method: Moya.Method { return .get }
    var task: Moya.Task { return .requestPlain }
    var headers: [String: String]? { return nil }
}

// expected-warning@+1 {{must restate inherited '@unchecked Sendable' conformance}}
class MyProvider: MoyaProvider<Bakery> {}

/// A mock by an overridden request.
// expected-warning@+1 {{must restate inherited '@unchecked Sendable' conformance}}
class MockProvider: MoyaProvider<Bakery> {
    override func request(
        _ target: Bakery, callbackQueue: DispatchQueue? = .none, progress: ProgressBlock? = .none,
        completion: @escaping Completion
    ) -> Cancellable {
        completion(.success(Response(statusCode: 200, data: Data())))
        return super.request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
    }
}

class SigningService {
    func sign(_ endpoint: Endpoint, closure: MoyaProvider<Bakery>.RequestResultClosure) {
        closure(Result { try endpoint.urlRequest() }.mapError { MoyaError.underlying($0, nil) })
    }

    // expected-warning@+1 {{converting non-Sendable function value to '@Sendable (Endpoint, }}
    lazy var provider = make(requestClosure: sign)

    func make(requestClosure: @escaping MoyaProvider<Bakery>.RequestClosure) -> MoyaProvider<Bakery> {
        return MoyaProvider<Bakery>(requestClosure: requestClosure)
    }
}

struct Client {
    let provider = MoyaProvider<Bakery>()

    func load<T: Decodable>(_ type: T.Type, completion: @escaping (T?) -> Void) {
        provider.request(.loaves) { result in
            // expected-warning@+1 {{capture of 'type' with non-Sendable type 'T.Type' in a '@Sendable' closure}}
            completion(try? result.get().map(type))
        }
    }

    func names(_ response: Response) -> [String] {
        do {
            return try response.filterSuccessfulStatusCodes().map([String].self)
            // expected-warning@+1 {{'as' test is always true}}
        } catch let error as MoyaError {
            print(error)
        } catch {
            print("other")
        }
        return []
    }
}

struct XMLEncoding: ParameterEncoding {
    // expected-warning@+1 {{sendability of function types in instance method 'encode(_:with:)' does not match}}
    func encode(_ urlRequest: URLRequestConvertible, with parameters: [String: Any]?) throws -> URLRequest {
        return try urlRequest.asURLRequest()
    }
}

protocol Networking {
    associatedtype Target
    // expected-note@+1 {{expected sendability to match requirement here}}
    func request(
        _ target: Target, callbackQueue: DispatchQueue?, progress: ProgressBlock?, completion: @escaping Completion
    ) -> Cancellable
}

// expected-warning@+1 {{sendability of function types in instance method 'request(_:callbackQueue:progress:completion:)' does not match}}
extension MoyaProvider: Networking {}

@MainActor
class ViewModel {
    // expected-note@+1 {{mutation of this property}}
    var names: [String] = []
    let provider = MoyaProvider<Bakery>()

    func endpoint(for target: Bakery) -> Endpoint {
        return MoyaProvider.defaultEndpointMapping(for: target)
    }

    func makeProvider() -> MoyaProvider<Bakery> {
        // expected-warning@+2 {{converting non-Sendable function value to '@Sendable (}}
        // expected-warning@+1 {{loses global actor 'MainActor'}}
        return MoyaProvider<Bakery>(endpointClosure: endpoint)
    }

    func load() {
        provider.request(.loaves) { [weak self] result in
            // expected-warning@+1 {{from a Sendable closure}}
            self?.names = (try? result.get().map([String].self)) ?? []
        }
    }
}
