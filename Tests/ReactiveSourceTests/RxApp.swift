// The RxSwift layer of an app, as apps for Moya 14 and 15 write it.
#if RxMoya && TaskAlias
import Foundation
import Moya
import RxMoya
import RxSwift

struct Loaf: Codable, Equatable {
    let name: String
}

struct ServerMessage: Decodable {
    let message: String
}

enum BakeryError: Error, Equatable {
    case notDecoded
    case server(String)
    case loggedOut
}

enum Bakery {
    case loaves(page: Int)
    case bake(Loaf)
    case renew(String)
}

/// The address of the bakery, which tests set.
struct BakeryTarget: TargetType, AccessTokenAuthorizable {
    let server: URL
    let call: Bakery

    var baseURL: URL { return server }
    var path: String {
        switch call {
        case .loaves, .bake: return "/loaves"
        case .renew: return "/renew"
        }
    }
    var method: Moya.Method {
        switch call {
        case .loaves: return .get
        case .bake, .renew: return .post
        }
    }
    var task: Task {
        switch call {
        case .loaves(let page):
            return .requestParameters(parameters: ["page": page], encoding: URLEncoding.default)
        case .bake(let loaf): return .requestJSONEncodable(loaf)
        case .renew(let token): return .requestParameters(parameters: ["token": token], encoding: JSONEncoding.default)
        }
    }
    var headers: [String: String]? { return nil }
    var authorizationType: AuthorizationType? {
        if case .renew = call { return nil }
        return .bearer
    }
}

extension PrimitiveSequence where Trait == SingleTrait, Element == Moya.Response {
    /// The model of a successful response; else the message of the server.
    func mapModel<Model: Decodable>(_ type: Model.Type) -> Single<Model> {
        return flatMap { response in
            guard 200..<300 ~= response.statusCode else {
                let message = try? response.map(ServerMessage.self).message
                return .error(BakeryError.server(message ?? "\(response.statusCode)"))
            }
            do {
                return .just(try response.map(Model.self))
            } catch {
                return .error(BakeryError.notDecoded)
            }
        }
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// Subscribes again after a lost connection, at most so many times.
    func retryOnLostConnection(_ limit: Int) -> Single<Element> {
        return retry(when: { (errors: Observable<Error>) in
            errors.enumerated().flatMap { (index, error) -> Observable<Int> in
                guard index < limit, case MoyaError.underlying? = error as? MoyaError else {
                    return .error(error)
                }
                return .just(index)
            }
        })
    }
}

/// The token of the user.
final class TokenStore {
    var token: String? = "old"
}

/// A service that renews its token once after a refusal, and sends the request again.
final class RxBakeryService {
    private let server: URL
    private let store: TokenStore
    private let provider: MoyaProvider<BakeryTarget>
    private let disposeBag = DisposeBag()
    let isLoading = BehaviorSubject<Bool>(value: false)

    init(server: URL, store: TokenStore = TokenStore()) {
        self.server = server
        self.store = store
        provider = MoyaProvider<BakeryTarget>(plugins: [AccessTokenPlugin { _ in store.token ?? "" }])
    }

    private func send(_ call: Bakery) -> Single<Moya.Response> {
        let target = BakeryTarget(server: server, call: call)
        return provider.rx.request(target)
            .flatMap { [weak self] response -> Single<Moya.Response> in
                guard response.statusCode == 401, let self = self else { return .just(response) }
                return self.renew().flatMap { self.provider.rx.request(target) }
            }
            .do(
                onSuccess: { [weak self] _ in self?.isLoading.onNext(false) },
                onError: { [weak self] _ in self?.isLoading.onNext(false) },
                onSubscribe: { [weak self] in self?.isLoading.onNext(true) })
    }

    private func renew() -> Single<Void> {
        guard let token = store.token else { return .error(BakeryError.loggedOut) }
        return provider.rx.request(BakeryTarget(server: server, call: .renew(token)))
            .filterSuccessfulStatusCodes()
            .map(String.self, atKeyPath: "token")
            .do(onSuccess: { [store] in store.token = $0 })
            .map { _ in }
            .catch { [store] _ in
                store.token = nil
                return .error(BakeryError.loggedOut)
            }
    }

    func loaves(page: Int) -> Single<[Loaf]> {
        return send(.loaves(page: page))
            .retryOnLostConnection(2)
            .mapModel([Loaf].self)
            .observe(on: MainScheduler.instance)
    }

    func bake(_ loaf: Loaf) -> Completable {
        return send(.bake(loaf)).filterSuccessfulStatusCodes().asCompletable()
    }

    func pages(_ count: Int) -> Observable<[Loaf]> {
        return Observable.range(start: 1, count: count)
            .concatMap { [unowned self] page in self.loaves(page: page).asObservable() }
            .scan([]) { $0 + $1 }
    }

    func print(_ page: Int) {
        loaves(page: page)
            .subscribe(
                onSuccess: { loaves in Swift.print(loaves) },
                onFailure: { error in Swift.print(error) }
            )
            .disposed(by: disposeBag)
    }
}
#endif
