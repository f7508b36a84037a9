import Foundation
import Moya
import Testing

/// Calls that are ended early, by the caller or by a bound on time.
@Suite(.needsServers, .timeLimit(.minutes(5)))
struct ServerCancellationTests {
    let servers: Servers

    init() throws { servers = try #require(Servers.running) }

    @Test func cancellingTheTaskClosesTheConnection() async throws {
        let mark = uniqueMark()
        let provider = MoyaProvider<Call>()
        // At 32 KiB a second this takes the better part of an hour.
        let call = Call.get(servers.nginx, "/slow/large.bin", query: ["m": mark])
        let task = _Concurrency.Task {
            for try await event in provider.progress(of: call) {
                guard let progress = event.progressObject, progress.completedUnitCount > 0 else { continue }
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        _ = await task.result
        // nginx writes its line when the connection is closed.
        #expect(try await servers.accessLog.entries(marked: mark, count: 1).count == 1)
    }

    @Test func aCancelledCallEndsWithTheCancelledError() async throws {
        let provider = MoyaProvider<Call>()
        let call = Call.get(servers.nginx, "/slow/large.bin")
        let task = _Concurrency.Task { try await provider.request(call) }
        task.cancel()
        let error = await #expect(throws: MoyaError.self) { try await task.value }
        guard case .underlying(let cause, _)? = error else { throw try #require(error) }
        #expect((cause as NSError).domain == NSURLErrorDomain)
        #expect((cause as NSError).code == NSURLErrorCancelled)
    }

    @Test func aCancelledDownloadLeavesNoFile() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("large.bin")
            let provider = MoyaProvider<Call>()
            let call = Call(
                baseURL: servers.nginx, path: "/slow/large.bin", task: .downloadDestination { _, _ in (file, []) })
            let error = await withCheckedContinuation { continuation in
                let started = Started()
                let cancellable = provider.request(call, callbackQueue: started.queue) { _ in
                    started.cancel()
                } completion: { result in
                    continuation.resume(returning: result.failure)
                }
                started.queue.async { started.cancellable = cancellable }
            }
            #expect(error != nil)
            let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(left.isEmpty)
        }
    }

    @Test func aSilentServerExceedsTheTimeout() async throws {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 0.5
        let provider = MoyaProvider<Call>(
            session: Session(configuration: configuration, startRequestsImmediately: false))
        // The server would answer after ten seconds.
        let error = await #expect(throws: MoyaError.self) {
            try await provider.request(.get(servers.httpbin, "/delay/10"))
        }
        guard case .underlying(let cause, _)? = error else { throw try #require(error) }
        #expect((cause.asAFError?.underlyingError as? URLError)?.code == .timedOut, "\(cause)")
    }

    /// Cancels a call at its first progress event, on the queue of both.
    private final class Started: @unchecked Sendable {
        // Everything below is touched on this serial queue only.
        let queue = DispatchQueue(label: "progress")
        var cancellable: (any Moya.Cancellable)?
        func cancel() { cancellable?.cancel() }
    }
}

extension Result {
    /// The error, `nil` for a success.
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
