// swift-format-ignore-file: OrderedImports
import Alamofire
import Foundation
import Moya
import Result

/// The session of the app, with long timeouts.
func makeManager() -> Manager {
    let configuration = URLSessionConfiguration.default
    configuration.httpAdditionalHeaders = Manager.defaultHTTPHeaders
    configuration.timeoutIntervalForRequest = 60
    let manager = Manager(
        configuration: configuration
    )
    return manager
}

final class Tokens {
    static let shared = Tokens()

    var token: String?
}

/// A provider with the plugins of the app.
class TeaProvider<Target: TargetType>: MoyaProvider<Target> {
    init(stub: @escaping StubClosure = MoyaProvider.neverStub) {
        super.init(
            stubClosure: stub,
            manager: makeManager(),
            plugins: [
                NetworkLoggerPlugin(
                    verbose: true
                ),
                AccessTokenPlugin(
                    tokenClosure: {
                        Tokens.shared.token ?? ""
                    }
                ),
            ])
    }
}

final class StubbedTeaProvider: TeaProvider<TeaAPI> {
    convenience init() {
        self.init(stub: MoyaProvider.immediatelyStub)
    }
}

struct Network {
    static let shared = Network()

    let provider = TeaProvider<TeaAPI>(stub: MoyaProvider.immediatelyStub)

    func teas(page: Int, completion: @escaping ([Tea]?, Moya.Error?) -> Void) {
        provider.request(.teas(page: page)) { result in
            if let response = result.value {
                completion(try? response.map([Tea].self), nil)
            } else if let error = result.error {
                completion(nil, error)
            }
        }
    }

    func order(_ order: Order, completion: @escaping (Bool) -> Void) {
        provider.request(
            .order(order)
        ) { [provider] (result) in
            guard let response = result.value, response.statusCode == 201 else {
                completion(false)
                return
            }
            print(provider.manager, response)
            completion(true)
        }
    }

    func status(of result: Result<Moya.Response, MoyaError>) -> Int? {
        return result.value?.statusCode
    }

    func isReachable(_ completion: @escaping (Bool) -> Void) {
        Alamofire.request("https://teahouse.example.com").responseData { response in
            completion(response.value != nil)
        }
    }
}
