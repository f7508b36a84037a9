// Methods and functions as endpoint, stub and token closures, handed through parameters of the app's own.
#if TaskAlias
import Foundation
import Moya

enum Bakery: TargetType {
    case loaves
    case order(count: Int)

    var baseURL: URL { return URL(string: "https://bakery.example.com")! }
    var path: String { return "/loaves" }
    var method: Moya.Method { return .get }
    var task: Task {
        switch self {
        case .loaves: return .requestPlain
        case .order(let count):
            return .requestParameters(parameters: ["count": count], encoding: URLEncoding.default)
        }
    }
    var headers: [String: String]? { return nil }
    var sampleData: Data { return Data("[\"rye\"]".utf8) }
}

/// A generic wrapper whose initializer has the provider's parameters.
final class WrappedProvider<Target: TargetType> {
    let provider: MoyaProvider<Target>

    init(
        endpointClosure: @escaping MoyaProvider<Target>.EndpointClosure = MoyaProvider<Target>.defaultEndpointMapping,
        requestClosure: @escaping MoyaProvider<Target>.RequestClosure = MoyaProvider<Target>.defaultRequestMapping,
        stubClosure: @escaping MoyaProvider<Target>.StubClosure = MoyaProvider<Target>.neverStub,
        tokenClosure: @escaping AccessTokenPlugin.TokenClosure
    ) {
        provider = MoyaProvider<Target>(
            endpointClosure: endpointClosure, requestClosure: requestClosure, stubClosure: stubClosure,
            plugins: [AccessTokenPlugin(tokenClosure: tokenClosure)])
    }
}

private func version(_ target: Bakery) -> Endpoint {
    return MoyaProvider.defaultEndpointMapping(for: target).adding(newHTTPHeaderFields: ["Version": "1"])
}

/// A manager that hands on its own methods, with state that they read.
final class BakeryManager {
    var language = "en"
    var isStubbed = true

    private func endpoint(for target: Bakery) -> Endpoint {
        return MoyaProvider.defaultEndpointMapping(for: target)
            .adding(newHTTPHeaderFields: ["Accept-Language": language])
    }

    private func stub(for target: Bakery) -> StubBehavior {
        return isStubbed ? .immediate : .never
    }

    private func token(for target: TargetType) -> String {
        return "token"
    }

    private let storedEndpointClosure = { (target: Bakery) -> Endpoint in
        return MoyaProvider.defaultEndpointMapping(for: target)
    }

    private lazy var endpointClosure: MoyaProvider<Bakery>.EndpointClosure = { target in
        return MoyaProvider.defaultEndpointMapping(for: target)
            .adding(newHTTPHeaderFields: ["Accept-Language": self.language])
    }

    lazy var wrapped = WrappedProvider<Bakery>(
        endpointClosure: endpoint, stubClosure: stub, tokenClosure: token)

    lazy var wrappedByProperty = WrappedProvider<Bakery>(
        endpointClosure: endpointClosure, stubClosure: stub, tokenClosure: { _ in "token" })

    lazy var wrappedByConstant = WrappedProvider<Bakery>(
        endpointClosure: storedEndpointClosure, stubClosure: MoyaProvider.immediatelyStub, tokenClosure: token)

    lazy var wrappedByFunction = WrappedProvider<Bakery>(
        endpointClosure: version(_:), stubClosure: MoyaProvider.immediatelyStub, tokenClosure: token)

    lazy var direct = MoyaProvider<Bakery>(
        endpointClosure: endpoint, stubClosure: stub, plugins: [AccessTokenPlugin(tokenClosure: token)])

    func makeProvider(_ stub: MoyaProvider<Bakery>.StubClosure? = nil) -> MoyaProvider<Bakery> {
        return MoyaProvider<Bakery>(stubClosure: stub ?? MoyaProvider.immediatelyStub)
    }

    func stubs(slow: Bool) -> [MoyaProvider<Bakery>.StubClosure] {
        let kept: MoyaProvider<Bakery>.StubClosure = slow ? MoyaProvider.delayedStub(0.001) : MoyaProvider.neverStub
        return [chosen(slow: slow), kept]
    }

    private func chosen(slow: Bool) -> MoyaProvider<Bakery>.StubClosure {
        return slow ? MoyaProvider.delayedStub(0.001) : MoyaProvider.immediatelyStub
    }
}

/// A factory whose closures are parameters with a default.
enum ProviderFactory {
    static func make<Target: TargetType>(
        _ type: Target.Type,
        endpointClosure: @escaping (Target) -> Endpoint = MoyaProvider<Target>.defaultEndpointMapping
    ) -> MoyaProvider<Target> {
        return MoyaProvider<Target>(endpointClosure: endpointClosure, stubClosure: MoyaProvider.immediatelyStub)
    }
}

/// A subclass that overrides the designated initializer with the provider's parameters.
final class BakeryProvider: MoyaProvider<Bakery>, @unchecked Sendable {
    override init(
        endpointClosure: @escaping EndpointClosure = MoyaProvider.defaultEndpointMapping,
        requestClosure: @escaping RequestClosure = MoyaProvider<Bakery>.defaultRequestMapping,
        stubClosure: @escaping StubClosure = MoyaProvider.neverStub, callbackQueue: DispatchQueue? = nil,
        session: Session = MoyaProvider<Bakery>.defaultAlamofireSession(), plugins: [PluginType] = [],
        trackInflights: Bool = false
    ) {
        super.init(
            endpointClosure: endpointClosure, requestClosure: requestClosure, stubClosure: stubClosure,
            callbackQueue: callbackQueue, session: session, plugins: plugins, trackInflights: trackInflights)
    }
}
#endif
