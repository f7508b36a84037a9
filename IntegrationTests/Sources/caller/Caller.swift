import CallOrders
import Foundation
import Moya

/// Makes calls on command, by lines of JSON, and prints the result of each: for tests that need the caller in another
/// network, or in its own process.
@main
struct Caller {
    static func main() {
        let provider = MoyaProvider<OrderedCall>()
        while let line = readLine() {
            guard let order = try? JSONDecoder().decode(CallOrder.self, from: Data(line.utf8)) else {
                print("caller: this is no order: \(line)")
                exit(64)
            }
            _Concurrency.Task.detached {
                switch order {
                case .call(let call): write(await outcome(of: call, by: provider))
                case .slowReading(let reading): write(await reading.outcome())
                case .streamReading(let reading): write(await reading.outcome())
                case .streamSending(let sending): write(await sending.outcome())
                }
            }
        }
    }

    private static func outcome(
        of call: CallOrder.Call, by provider: MoyaProvider<OrderedCall>
    ) async -> CallOutcome {
        let started = ContinuousClock.now
        let result: Result<Response, MoyaError>
        do throws(MoyaError) {
            result = .success(try await provider.request(OrderedCall(baseURL: call.url), deadlines: call.deadlines))
        } catch {
            result = .failure(error)
        }
        return CallOutcome(id: call.id, seconds: (ContinuousClock.now - started) / .seconds(1), result)
    }

    private static func write(_ outcome: some Encodable) {
        guard var line = try? JSONEncoder().encode(outcome) else { return }
        line.append(UInt8(ascii: "\n"))
        FileHandle.standardOutput.write(line)
    }
}

/// A GET of a whole URL.
struct OrderedCall: TargetType {
    var baseURL: URL
    var path: String { "" }
    var method: Moya.Method { .get }
    var task: RequestTask { .requestPlain }
    var headers: [String: String]? { nil }
}

extension CallOrder.Call {
    fileprivate var deadlines: Deadlines {
        func duration(_ seconds: Double?) -> Duration? { seconds.map { .seconds($0) } }
        return Deadlines(
            connect: duration(connect), idle: duration(idle), attempt: duration(attempt), total: duration(total))
    }
}
