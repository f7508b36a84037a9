// swift-format-ignore-file: OrderedImports
import MoyaSession
import Foundation
import Moya

/// The session of the app, with long timeouts.
func makeManager() -> Session {
    let configuration = URLSessionConfiguration.default
    configuration.headers = .default
    configuration.timeoutIntervalForRequest = 60
    let manager = Session(
        configuration: configuration
    )
    return manager
}

final class Tokens {
    static let shared = Tokens()

    var token: String?
}

/// A provider with the plugins of the app.
class TeaProvider<Target: TargetType>: MoyaProvider<Target>, @unchecked Sendable {
    init(stub: @escaping StubClosure = MoyaProvider.neverStub) {
        super.init(
            stubClosure: stub,
            session: makeManager(),
            plugins: [
                NetworkLoggerPlugin(
                    configuration: .init(logOptions: .verbose)
                ),
                AccessTokenPlugin(
                    tokenClosure: { _ in
                        Tokens.shared.token ?? ""
                    }
                ),
            ])
    }
}

final class StubbedTeaProvider: TeaProvider<TeaAPI>, @unchecked Sendable {
    convenience init() {
        self.init(stub: MoyaProvider.immediatelyStub)
    }
}

struct Network {
    static let shared = Network()

    let provider = TeaProvider<TeaAPI>(stub: MoyaProvider.immediatelyStub)

    func teas(page: Int, completion: @escaping ([Tea]?, MoyaError?) -> Void) {
        provider.request(.teas(page: page)) { result in
            if let response = try? result.get() {
                completion(try? response.map([Tea].self), nil)
            } else if case .failure(let error) = result {
                completion(nil, error)
            }
        }
    }

    func order(_ order: Order, completion: @escaping (Bool) -> Void) {
        provider.request(
            .order(order)
        ) { [provider] (result) in
            guard let response = try? result.get(), response.statusCode == 201 else {
                completion(false)
                return
            }
            print(provider.session, response)
            completion(true)
        }
    }

    func status(of result: Result<Moya.Response, MoyaError>) -> Int? {
        return (try? result.get())?.statusCode
    }

    func isReachable(_ completion: @escaping (Bool) -> Void) {
        AF.request("https://teahouse.example.com").responseData { response in
            completion(response.value != nil)
        }
    }
}
