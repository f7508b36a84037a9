import CMeasure
import Foundation
import Moya

/// Makes calls through a provider, in each form of its API.
struct ProviderLoad: Sendable {
    private let provider: MoyaProvider<BenchmarkAPI>
    private let target: BenchmarkAPI

    init(_ options: Options, provider: MoyaProvider<BenchmarkAPI>? = nil) {
        self.provider = provider ?? MoyaProvider(session: options.session())
        target = .small(options.url)
    }

    /// Makes a call with a completion on the main queue, the default, which makes the next call.
    func startCompleting() {
        let started = measure_now()
        provider.request(target) { result in
            measure_completed(started, Self.isRight(result))
            startCompleting()
        }
    }

    /// Makes calls one after the other, and awaits each.
    func awaitCalls(deadline: Duration? = nil) async {
        while true {
            let started = measure_now()
            do {
                let response =
                    if let deadline {
                        try await provider.request(target, deadline: deadline)
                    } else {
                        try await provider.request(target)
                    }
                measure_completed(started, Self.isRight(.success(response)))
            } catch {
                measure_completed(started, false)
            }
        }
    }

    /// Makes calls one after the other, and decodes each response.
    func awaitValues() async {
        while true {
            let started = measure_now()
            let user = try? await provider.request(target, as: User.self)
            measure_completed(started, user?.id == 583231)
        }
    }

    private static func isRight(_ result: Result<Response, MoyaError>) -> Bool {
        guard case .success(let response) = result else { return false }
        return response.statusCode == 200 && response.data.count == BenchmarkAPI.sampleLength
    }
}
