import Foundation
import Moya
import MoyaSession
import MoyaTesting
import Testing

/// The limits of a call pass through the override of a subclass, and apply to no other call.
@Suite struct PassedLimitsTests {
    private struct Service: TargetType {
        var path = "/items"
        var isStubbed = false

        var baseURL: URL { URL(string: "https://example.com")! }
        var method: Moya.Method { .get }
        var task: RequestTask { .requestPlain }
        var headers: [String: String]? { nil }
    }

    /// Overrides `request` with a closure, which receives its superclass's.
    private final class Own: MoyaProvider<Service>, @unchecked Sendable {
        typealias Call = @Sendable () -> any Cancellable
        typealias Override = @Sendable (Own, Service, @escaping Call) -> any Cancellable
        nonisolated(unsafe) var override: Override = { $2() }

        @discardableResult
        override func request(
            _ target: Service, callbackQueue: DispatchQueue? = nil, progress: SendableProgressBlock? = nil,
            completion: @escaping SendableCompletion
        ) -> any Cancellable {
            override(self, target) {
                super.request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
            }
        }
    }

    /// The length of the response to the limited call, and to the other; `nil` for none.
    private let limited = Promise<Int?>()
    private let other = Promise<Int?>()

    private static let stub: MoyaProvider<Service>.StubClosure = { $0.isStubbed ? .immediate : .never }

    private func provider(answering length: Int, _ override: @escaping Own.Override = { $2() }) -> Own {
        let transport = StepwiseTransport { $1.answer(200, String(repeating: "a", count: length)) }
        let provider = Own(stubClosure: Self.stub, session: Session(transport: transport))
        provider.override = override
        return provider
    }

    private func fulfilling(_ promise: Promise<Int?>) -> SendableCompletion {
        { promise.fulfill($0.response?.data.count) }
    }

    @Test(arguments: [100, 10]) func callOfAnotherProviderInAnOverrideIsNotLimited(_ bound: Int) async throws {
        let tokens = provider(answering: 200)
        let items = provider(answering: 50) { _, _, call in
            tokens.request(Service(), completion: fulfilling(other))
            return call()
        }
        items.request(Service(), maximumResponseBytes: bound, completion: fulfilling(limited))
        #expect(try await other.value == 200)
        #expect(try await limited.value == (bound < 50 ? nil : 50))
        withExtendedLifetime((tokens, items)) {}
    }

    @Test(arguments: [true, false]) func callInTheCompletionOfAStubIsNotLimited(_ isSubclass: Bool) async throws {
        let items = provider(answering: 200)
        let stubbed = isSubclass ? items : MoyaProvider<Service>(stubClosure: Self.stub)
        stubbed.request(Service(isStubbed: true), maximumResponseBytes: 100) { _ in
            items.request(Service(), completion: fulfilling(other))
        }
        #expect(try await other.value == 200)
        withExtendedLifetime(items) {}
    }

    @Test func overrideThatCallsInATaskOfItsOwnHasTheLimits() async throws {
        let items = provider(answering: 50) { _, _, call in
            _Concurrency.Task { _ = call() }
            return CancellableToken {}
        }
        items.request(Service(), maximumResponseBytes: 10, completion: fulfilling(limited))
        #expect(try await limited.value == nil)
        withExtendedLifetime(items) {}
    }

    @Test func overrideThatCallsTwiceHasTheLimitsTwice() async throws {
        let items = provider(answering: 50) { _, _, call in
            _ = call()
            return call()
        }
        let lengths = Recorder<Int?>()
        items.request(Service(), maximumResponseBytes: 10) { result in
            lengths.append(result.response?.data.count)
            if lengths.count == 2 { limited.fulfill(nil) }
        }
        _ = try await limited.value
        #expect(lengths.values == [nil, nil])
    }

    @Test func awaitedCallInAnOverrideIsNotLimited() async throws {
        let items = provider(answering: 50) { provider, target, call in
            guard target.path != "/token" else { return call() }
            _Concurrency.Task {
                let token = try? await provider.request(Service(path: "/token"))
                other.fulfill(token?.data.count)
                _ = call()
            }
            return CancellableToken {}
        }
        items.request(Service(), maximumResponseBytes: 10, completion: fulfilling(limited))
        #expect(try await other.value == 50)
        #expect(try await limited.value == nil)
        withExtendedLifetime(items) {}
    }

    @Test func callOfAnotherPathInAnOverrideLeavesTheLimits() async throws {
        let items = provider(answering: 50) { provider, target, call in
            if target.path != "/token" { provider.request(Service(path: "/token"), completion: { _ in }) }
            return call()
        }
        items.request(Service(), maximumResponseBytes: 10, completion: fulfilling(limited))
        #expect(try await limited.value == nil)
        withExtendedLifetime(items) {}
    }
}
