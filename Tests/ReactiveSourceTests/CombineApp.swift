// The Combine layer of an app, as apps for Moya 15 write it.
#if CombineMoya && TaskAlias
import CombineMoya
import Foundation
import Moya

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

struct Kettle: Codable, Equatable {
    let name: String
}

enum ShopError: Error, Equatable {
    case status(Int)
    case decoding
    case offline
}

struct ShopTarget: TargetType {
    let server: URL
    let path: String

    var baseURL: URL { return server }
    var method: Moya.Method { return .get }
    var task: Task { return .requestPlain }
    var headers: [String: String]? { return ["Accept": "application/json"] }
    var sampleData: Data { return Data("[{\"name\":\"Kettle\"}]".utf8) }
}

protocol ShopRepository {
    func kettles() -> AnyPublisher<[Kettle], ShopError>
    func kettle(_ name: String) -> AnyPublisher<Kettle, ShopError>
}

extension AnyPublisher where Output == Moya.Response, Failure == MoyaError {
    /// The model of a successful response, with the error of the app.
    func decoded<Model: Decodable>(_ type: Model.Type) -> AnyPublisher<Model, ShopError> {
        return filterSuccessfulStatusCodes()
            .map(Model.self)
            .mapError { error -> ShopError in
                switch error {
                case .statusCode(let response): return .status(response.statusCode)
                case .objectMapping, .jsonMapping: return .decoding
                default: return .offline
                }
            }
            .eraseToAnyPublisher()
    }
}

final class RemoteShopRepository: ShopRepository {
    private let server: URL
    private let provider: MoyaProvider<ShopTarget>

    init(server: URL, provider: MoyaProvider<ShopTarget> = MoyaProvider<ShopTarget>()) {
        self.server = server
        self.provider = provider
    }

    func kettles() -> AnyPublisher<[Kettle], ShopError> {
        return provider.requestPublisher(ShopTarget(server: server, path: "/kettles"))
            .retry(1)
            .eraseToAnyPublisher()
            .decoded([Kettle].self)
    }

    func kettle(_ name: String) -> AnyPublisher<Kettle, ShopError> {
        return provider.requestPublisher(ShopTarget(server: server, path: "/kettles/\(name)"), callbackQueue: .main)
            .decoded(Kettle.self)
    }

    /// The share of the response that has arrived, from 0 to 1.
    func download() -> AnyPublisher<Double, MoyaError> {
        return provider.requestWithProgressPublisher(ShopTarget(server: server, path: "/kettles"))
            .map { $0.progress }
            .eraseToAnyPublisher()
    }
}

/// A model of a view that keeps its subscriptions.
final class ShopModel {
    private(set) var kettles: [Kettle] = []
    private(set) var error: ShopError?
    private(set) var isLoading = false
    var onEnd: (() -> Void)?
    private let repository: ShopRepository
    private var cancellables = Set<AnyCancellable>()

    init(repository: ShopRepository) {
        self.repository = repository
    }

    func load() {
        isLoading = true
        repository.kettles()
            .flatMap { [repository] kettles -> AnyPublisher<Kettle, ShopError> in
                return repository.kettle(kettles.first?.name ?? "")
            }
            .sink(
                receiveCompletion: { [weak self] completion in
                    guard let self = self else { return }
                    self.isLoading = false
                    if case .failure(let error) = completion { self.error = error }
                    self.onEnd?()
                },
                receiveValue: { [weak self] kettle in self?.kettles.append(kettle) }
            )
            .store(in: &cancellables)
    }
}
#endif
