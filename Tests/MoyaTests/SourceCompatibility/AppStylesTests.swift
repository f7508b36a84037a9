import Foundation
import Moya
import MoyaSession
import MoyaTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Network layers of apps that have moved to Swift 6 mode.

private enum StoreAPI: TargetType {
    case items(page: Int), refused

    var baseURL: URL { URL(string: "https://store.example.com")! }
    var path: String { self == .refused ? "/refused" : "/items" }
    var method: Moya.Method { .get }
    var task: RequestTask {
        if case .items(let page) = self {
            .requestParameters(parameters: ["page": page], encoding: URLEncoding.queryString)
        } else {
            .requestPlain
        }
    }
    var headers: [String: String]? { nil }
    var sampleData: Data { Data(#"[{"name": "Kettle"}]"#.utf8) }
}

extension StoreAPI: Equatable {}

private struct StoreItem: Decodable, Sendable, Equatable { let name: String }

/// A client that is an actor.
private actor StoreClient {
    private let provider: MoyaProvider<StoreAPI>
    private(set) var calls = 0

    init(provider: MoyaProvider<StoreAPI>) { self.provider = provider }

    func items(page: Int) async throws -> [StoreItem] {
        calls += 1
        return try await provider.request(.items(page: page)).filterSuccessfulStatusCodes().map([StoreItem].self)
    }
}

/// A client behind a protocol, with a subclassed provider.
private protocol StoreServing: Sendable {
    func items(page: Int) async throws(MoyaError) -> [StoreItem]
}

private final class CountingProvider: MoyaProvider<StoreAPI>, @unchecked Sendable {
    private let count = Counter()
    var total: Int { count.value }

    override func request(
        _ target: StoreAPI, callbackQueue: DispatchQueue? = nil, progress: SendableProgressBlock? = nil,
        completion: @escaping SendableCompletion
    ) -> any Moya.Cancellable {
        count.increment()
        return super.request(target, callbackQueue: callbackQueue, progress: progress, completion: completion)
    }
}

private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0
    var value: Int { lock.withLock { count } }
    func increment() { lock.withLock { count += 1 } }
}

private struct StoreService: StoreServing {
    let provider: MoyaProvider<StoreAPI>
    func items(page: Int) async throws(MoyaError) -> [StoreItem] {
        try await provider.request(.items(page: page), as: [StoreItem].self)
    }
}

/// A model of the main actor.
@MainActor
private final class StoreModel {
    private(set) var items: [StoreItem] = []
    private(set) var failure: MoyaError?
    private let service: any StoreServing

    init(service: any StoreServing) { self.service = service }

    func load() async {
        do throws(MoyaError) {
            items = try await service.items(page: 1)
        } catch {
            failure = error
        }
    }
}

/// An interceptor with its state in an actor.
private actor TokenBox {
    private(set) var token = "old"
    func renew() { token = "new" }
}

private struct TokenInterceptor: RequestInterceptor {
    let box: TokenBox

    func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        _Concurrency.Task {
            var request = urlRequest
            request.setValue("Bearer \(await box.token)", forHTTPHeaderField: "Authorization")
            completion(.success(request))
        }
    }

    func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        guard (request.task?.response as? HTTPURLResponse)?.statusCode == 401, request.retryCount == 0 else {
            return completion(.doNotRetry)
        }
        _Concurrency.Task {
            await box.renew()
            completion(.retry)
        }
    }
}

@Suite struct AppStylesTests {
    private let provider = MoyaProvider<StoreAPI>(stubClosure: MoyaProvider.immediatelyStub)

    @Test func actorAwaitsItsProvider() async throws {
        let client = StoreClient(provider: provider)
        #expect(try await client.items(page: 1) == [StoreItem(name: "Kettle")])
        #expect(await client.calls == 1)
    }

    @Test func modelOfTheMainActorLoads() async {
        let model = await StoreModel(service: StoreService(provider: provider))
        await model.load()
        #expect(await model.items.count == 1)
        #expect(await model.failure == nil)
    }

    @Test func subclassedProviderTakesPartInAnAwaitedCall() async throws {
        let provider = CountingProvider(stubClosure: MoyaProvider.immediatelyStub)
        _ = try await provider.request(.items(page: 1))
        #expect(provider.total == 1)
    }

    @Test func severalCallsRunConcurrently() async throws {
        let service = StoreService(provider: provider)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for page in 0..<5 { group.addTask { try await service.items(page: page).count } }
            return try await group.reduce(0, +)
        }
        #expect(count == 5)
    }

    @Test func continuationWrapsACompletion() async throws {
        let response: Response = try await withCheckedThrowingContinuation { continuation in
            provider.request(.items(page: 1)) { continuation.resume(with: $0) }
        }
        #expect(response.statusCode == 200)
    }

    @Test func interceptorReadsTheTaskAndAwaitsItsState() async throws {
        let transport = ScriptedTransport(.response(401), .response(200))
        let session = Session(interceptor: TokenInterceptor(box: TokenBox()), transport: transport)
        let provider = MoyaProvider<ValidatedStore>(session: session)
        #expect(try await provider.request(ValidatedStore()).statusCode == 200)
        #expect(
            transport.requests.map { $0.fields.first { $0.name == "Authorization" }?.value }
                == ["Bearer old", "Bearer new"])
    }

    private struct ValidatedStore: TargetType {
        var baseURL: URL { URL(string: "https://store.example.com")! }
        var path: String { "" }
        var method: Moya.Method { .get }
        var task: RequestTask { .requestPlain }
        var headers: [String: String]? { nil }
        var validationType: ValidationType { .successCodes }
    }

    @Test func decodedRequestOfTheSessionIsAwaited() async throws {
        let session = Session(transport: ScriptedTransport(.response(200, body: #"[{"name": "Kettle"}]"#)))
        let items = try await session.request("https://store.example.com/items").validate()
            .serializingDecodable([StoreItem].self).value
        #expect(items == [StoreItem(name: "Kettle")])
    }
}
