import Foundation
import Moya

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request closure that keeps its answer back until the test gives it.
struct HeldRequest: Sendable {
    private let answers = Promise<@Sendable () -> Void>()

    /// For a provider's `requestClosure`.
    func closure(_ endpoint: Endpoint, _ done: @escaping @Sendable (Result<URLRequest, MoyaError>) -> Void) {
        answers.fulfill { MoyaProvider<GitHub>.defaultRequestMapping(for: endpoint, closure: done) }
    }

    /// Waits until the closure was called and answers.
    func answer() async throws { try await answers.value() }

    /// Waits until the closure was called.
    func called() async throws { _ = try await answers.value }
}
