import CMeasure
import Foundation
import Moya

/// Measures the cost of a provider without a network: an immediate stub answers its calls.
enum Stubs {
    private static let warmUp = 20_000
    private static let calls = 200_000

    static func run() {
        // Measures the memory of the process before it makes a provider, but after Foundation was initialized.
        let target = BenchmarkAPI.small(URL(fileURLWithPath: "/"))
        _ = target.sampleData
        let descriptors = measure_descriptors()
        let threads = measure_threads()
        let provider = MoyaProvider<BenchmarkAPI>(stubClosure: MoyaProvider.immediatelyStub)
        let remote = BenchmarkAPI.small(serverThatIsNeverAsked)
        let caller = Caller()
        func call(_ count: Int) {
            for _ in 0..<count { provider.request(remote) { caller.take($0) } }
        }
        call(warmUp)
        caller.completed = 0
        let allocations = measure_allocations()
        let cpu = measure_cpu_microseconds()
        let started = measure_now()
        call(calls)
        let microseconds = Double(measure_now() - started) / 1000
        let cpuTaken = measure_cpu_microseconds() - cpu
        Figures.print([
            ("microseconds", microseconds / Double(calls)),
            ("cpuMicroseconds", cpuTaken / Double(calls)),
            ("allocations", Double(measure_allocations() - allocations) / Double(calls)),
            ("descriptors", Double(measure_descriptors() - descriptors)),
            ("threads", Double(measure_threads() - threads)),
            ("failures", Double(calls - caller.completed)),
        ])
    }

    /// The caller, such as a view model; `@unchecked`, because its calls run one after the other on one thread.
    private final class Caller: @unchecked Sendable {
        var completed = 0

        func take(_ result: Result<Response, MoyaError>) {
            guard case .success(let response) = result else { return }
            completed += response.data.count == BenchmarkAPI.sampleLength ? 1 : 0
        }
    }

    private static var serverThatIsNeverAsked: URL { URL(string: "http://127.0.0.1:9") ?? URL(fileURLWithPath: "/") }
}
