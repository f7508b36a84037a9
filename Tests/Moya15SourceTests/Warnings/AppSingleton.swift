// A singleton over many targets, whose targets know their models.
#if TaskAlias
import Foundation
import Moya

protocol BreadTarget: TargetType {
    associatedtype Model: Decodable
}

extension BreadTarget {
    var baseURL: URL { return URL(string: "https://bakery.example.com")! }
    var headers: [String: String]? { return ["Accept": "application/json"] }
    var method: Moya.Method { return .get }
    var task: Task { return .requestPlain }
}

enum Breads {
    struct All: BreadTarget {
        typealias Model = [String]

        let path = "/breads"
        var sampleData: Data { return Data("[\"rye\",\"spelt\"]".utf8) }
    }
}

final class BreadNetwork {
    static let shared = BreadNetwork()

    private let provider: MoyaProvider<MultiTarget>
    private var pending: [String: Cancellable] = [:]

    init(stubClosure: @escaping MoyaProvider<MultiTarget>.StubClosure = MoyaProvider<MultiTarget>.immediatelyStub) {
        provider = MoyaProvider<MultiTarget>(stubClosure: stubClosure, plugins: [NetworkLoggerPlugin()])
    }

    func fetch<Target: BreadTarget>(
        _ target: Target, completion: @escaping (Result<Target.Model, MoyaError>) -> Void
    ) {
        pending[target.path] = provider.request(MultiTarget(target)) { [weak self] result in
            self?.pending[target.path] = nil
            completion(
                result.flatMap { response in
                    do {
                        return .success(try response.filterSuccessfulStatusCodes().map(Target.Model.self))
                    } catch let error as MoyaError {
                        return .failure(error)
                    } catch {
                        return .failure(.underlying(error, response))
                    }
                })
        }
    }

    func cancelAll() {
        for call in pending.values where !call.isCancelled { call.cancel() }
        pending = [:]
    }
}
#endif
