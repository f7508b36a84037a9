// Generic wrappers of callbacks, and of callbacks as `async` functions.
#if TaskAlias
import Foundation
import Moya

final class GenericClient<API: TargetType> {
    private let provider: MoyaProvider<API>
    private var isLoading = false

    init(provider: MoyaProvider<API>) {
        self.provider = provider
    }

    @discardableResult
    func load<Model: Decodable>(
        _ target: API, completion: @escaping (Result<Model, Error>) -> Void
    ) -> Cancellable {
        isLoading = true
        return provider.request(target) { result in
            self.isLoading = false
            switch result {
            case .success(let response):
                do {
                    completion(.success(try response.filterSuccessfulStatusCodes().map(Model.self)))
                } catch {
                    completion(.failure(error))
                }
            case .failure(let error):
                completion(.failure(error))
            }
        }
    }

    func load<Model: Decodable>(
        _ target: API, as type: Model.Type, success: @escaping (Model) -> Void, failure: ((MoyaError) -> Void)? = nil
    ) {
        provider.request(target, callbackQueue: nil, progress: nil) { [weak self] result in
            guard let self = self else { return }
            self.isLoading = false
            switch result {
            case .success(let response):
                if let model = try? response.map(Model.self) { success(model) }
            case .failure(let error):
                failure?(error)
            }
        }
    }

    func model<Model: Decodable>(_ target: API, as type: Model.Type) async throws -> Model {
        return try await withCheckedThrowingContinuation { continuation in
            provider.request(target) { result in
                switch result {
                case .success(let response):
                    do {
                        continuation.resume(returning: try response.map(Model.self))
                    } catch {
                        continuation.resume(throwing: error)
                    }
                case .failure(let error):
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    func response(_ target: API) async throws -> Response {
        return try await withCheckedThrowingContinuation { continuation in
            provider.request(target) { continuation.resume(with: $0) }
        }
    }

    func result<Model: Decodable>(_ target: API, as type: Model.Type) async -> Result<Model, MoyaError> {
        return await withCheckedContinuation { continuation in
            load(target, as: type, success: { continuation.resume(returning: .success($0)) }) { error in
                continuation.resume(returning: .failure(error))
            }
        }
    }
}
#endif
