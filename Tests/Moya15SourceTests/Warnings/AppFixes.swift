// Code for Moya 15 after the changes that MIGRATING names for its warnings.
#if TaskAlias
import Foundation
import Moya
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A mock that overrides the request.
class MockBakeryProvider: MoyaProvider<Bakery>, @unchecked Sendable {
    var targets: [Bakery] = []
    var result: Result<Moya.Response, MoyaError> = .success(Response(statusCode: 200, data: Data("[\"rye\"]".utf8)))

    override func request(
        _ target: Bakery, callbackQueue: DispatchQueue? = .none, progress: ProgressBlock? = .none,
        completion: @escaping Completion
    ) -> Cancellable {
        targets.append(target)
        completion(result)
        return CancellableToken {}
    }
}

/// A subclass of a generic provider that adds a check to every request.
class CheckedProvider<Target: TargetType>: MoyaProvider<Target>, @unchecked Sendable {
    var check: (Target) -> Bool = { _ in true }

    @discardableResult
    override func request(
        _ target: Target, callbackQueue: DispatchQueue? = nil, progress: ProgressBlock? = nil,
        completion: @escaping Completion
    ) -> Cancellable {
        guard check(target) else {
            completion(.failure(.requestMapping(target.path)))
            return CancellableToken {}
        }
        return super.request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
    }
}

final class CheckedBakeryProvider: CheckedProvider<Bakery>, @unchecked Sendable {}

/// A service whose method is the request closure of a wrapper.
class SigningService {
    var key = "key"

    @Sendable func sign(_ endpoint: Endpoint, closure: MoyaProvider<Bakery>.RequestResultClosure) {
        do {
            var request = try endpoint.urlRequest()
            request.setValue(key, forHTTPHeaderField: "X-Signature")
            closure(.success(request))
        } catch {
            closure(.failure(.underlying(error, nil)))
        }
    }

    lazy var wrapped = WrappedProvider<Bakery>(
        requestClosure: sign, stubClosure: MoyaProvider.immediatelyStub, tokenClosure: { _ in "" })
}

/// A generic wrapper that is given a type and does not capture it.
struct TypedClient {
    let provider: MoyaProvider<Bakery>

    func load<T: Decodable>(_ type: T.Type, completion: @escaping (T?) -> Void) {
        provider.request(.loaves) { result in
            completion(try? result.get().map(T.self))
        }
    }

    func names(_ response: Moya.Response) -> [String]? {
        do {
            return try response.filterSuccessfulStatusCodes().map([String].self)
        } catch {
            return nil
        }
    }
}

/// An encoding whose parameters have the library's type.
struct CountEncoding: ParameterEncoding {
    func encode(_ urlRequest: URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        request.setValue("\(parameters?.count ?? 0)", forHTTPHeaderField: "X-Count")
        return request
    }
}

/// A model of a view: its completions change its state, and its methods are closures of a provider.
@MainActor
class BakeryModel {
    private(set) var names: [String] = []
    private(set) var isLoading = false
    var onChange: (() -> Void)?
    lazy var provider = MoyaProvider<Bakery>(endpointClosure: endpoint, stubClosure: stub)

    @Sendable nonisolated func endpoint(for target: Bakery) -> Endpoint {
        return MoyaProvider.defaultEndpointMapping(for: target).adding(newHTTPHeaderFields: ["X-Model": "1"])
    }

    @Sendable nonisolated func stub(for target: Bakery) -> StubBehavior {
        return .delayed(seconds: 0.001)
    }

    func load() {
        isLoading = true
        provider.request(.loaves) { [weak self] result in
            _Concurrency.Task { @MainActor in
                guard let self = self else { return }
                self.isLoading = false
                self.names = (try? result.get().map([String].self)) ?? []
                self.onChange?()
            }
        }
    }

    func reload() async throws {
        names = try await provider.request(.loaves).map([String].self)
    }
}
#endif
