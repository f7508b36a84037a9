import CallOrders
import Foundation
import Moya
import Synchronization
import Testing

/// Makes many concurrent calls, each with a unique word that the origin records, and counts the completions and results
/// of each.
final class CallLedger: Sendable {
    /// The end of a call.
    enum Ending: Sendable, Hashable {
        case status(Int)
        /// The kind of the failure, in words.
        case failure(String)
    }

    private struct State {
        var endings: [String: [Ending]] = [:]
        var isOver = false
    }

    private let mark: String
    private let state = Mutex(State())

    /// - Parameter mark: Begins the word of every call.
    init(mark: String) { self.mark = mark }

    /// Workers that call one after the other until they are stopped.
    struct Load: Sendable {
        fileprivate let ledger: CallLedger
        fileprivate let tasks: _Concurrency.Task<Void, Never>

        /// Has every worker end its call, and waits for all of them.
        func finish() async {
            ledger.state.withLock { $0.isOver = true }
            await tasks.value
        }
    }

    /// Calls `/slowly/` at a server; POST and GET alternately.
    func load(_ provider: MoyaProvider<Call>, at base: URL, workers: Int, methods: [Moya.Method] = [.post, .get])
        -> Load
    {
        let tasks = _Concurrency.Task {
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<workers {
                    group.addTask {
                        var number = 0
                        while !self.state.withLock({ $0.isOver }) {
                            let method = methods[number % methods.count]
                            await self.call(
                                provider, base, "\(self.mark)-\(method.rawValue)-\(worker)-\(number)", method)
                            number += 1
                        }
                    }
                }
            }
        }
        return Load(ledger: self, tasks: tasks)
    }

    private func call(_ provider: MoyaProvider<Call>, _ base: URL, _ id: String, _ method: Moya.Method) async {
        let call = Call(
            baseURL: base, path: "/slowly/\(id)", method: method,
            task: method == .post ? .requestData(Data("body of \(id)".utf8)) : .requestPlain)
        await withCheckedContinuation { continuation in
            // The form with a completion, which could be called twice.
            provider.request(call, callbackQueue: .global(), progress: nil) { result in
                if self.record(result, of: id) { continuation.resume() }
            }
        }
    }

    /// Records an end; `true` if it is the first.
    private func record(_ result: Result<Response, MoyaError>, of id: String) -> Bool {
        let ending: Ending
        switch result {
        case .success(let response): ending = .status(response.statusCode)
        case .failure(let error): ending = .failure(error.transportFailure?.kind.words ?? "\(error)")
        }
        return state.withLock { state in
            state.endings[id, default: []].append(ending)
            return state.endings[id]?.count == 1
        }
    }

    // MARK: Reading

    /// The words of all calls.
    var ids: [String] { state.withLock { Array($0.endings.keys) } }

    /// The number of completions of a call.
    func completions(of id: String) -> Int { state.withLock { $0.endings[id]?.count ?? 0 } }

    /// The first end of a call.
    func ending(of id: String) -> Ending? { state.withLock { $0.endings[id]?.first } }

    /// The calls that failed, by kind.
    var failures: [String: Int] {
        state.withLock { state in
            var counts: [String: Int] = [:]
            for case .failure(let kind)? in state.endings.values.map(\.first) { counts[kind, default: 0] += 1 }
            return counts
        }
    }

    /// A human-readable count of the calls and their ends.
    var summary: String {
        let answered = ids.count - failures.values.reduce(0, +)
        let failed = failures.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        return "\(ids.count) calls: \(answered) answered" + (failed.isEmpty ? "" : ", \(failed)")
    }
}
