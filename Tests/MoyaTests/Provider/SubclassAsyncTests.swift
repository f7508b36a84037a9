import Foundation
import Moya
import Testing

/// A provider's subclass with an `async` function of its own, as apps have written it around Moya 15.
private final class OwnProvider: MoyaProvider<API>, @unchecked Sendable {
    func request(_ target: API) async throws -> Response {
        try await withCheckedThrowingContinuation { continuation in
            request(target, callbackQueue: nil, progress: nil) { result in
                continuation.resume(with: result.map { Response(statusCode: 299, data: $0.data) })
            }
        }
    }
}

/// A provider over a provider.
private final class WrappingProvider: MoyaProviderType {
    private let inner = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)

    func request(
        _ target: API, callbackQueue: DispatchQueue?, progress: SendableProgressBlock?,
        completion: @escaping SendableCompletion
    ) -> any Cancellable {
        inner.request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
    }
}

@Suite struct SubclassAsyncTests {
    @Test func asyncFunctionOfASubclassIsTheAppsOwn() async throws {
        let provider = OwnProvider(stubClosure: MoyaProvider.immediatelyStub)
        #expect(try await provider.request(API()).statusCode == 299)
    }

    @Test func providerOfAnotherTypeCanBeAwaited() async throws {
        #expect(try await WrappingProvider().request(API()).statusCode == 200)
    }
}
