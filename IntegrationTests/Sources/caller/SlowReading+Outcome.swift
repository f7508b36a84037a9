import CallOrders
import Foundation
import Moya
import MoyaSession
import Synchronization

extension SlowReading {
    /// Reads, pauses during the other calls, and reads to the end.
    func outcome() async -> Outcome {
        let session = Session.trusting(authority)
        var outcome = Outcome()
        // Memory left behind by the first calls is not counted.
        for _ in 0..<others { _ = await session.request(small).outcome() }
        let before = residentBytes()
        let reading = session.download(large)
        let isPaused = AsyncStream<Void>.makeStream()
        let pauses = Atomic(0)
        reading.downloadProgress(queue: .global()) { _ in
            // Progress that was reported before the pause may arrive after it.
            guard pauses.add(1, ordering: .relaxed).oldValue == 0 else { return }
            reading.suspend()
            isPaused.continuation.yield()
        }
        async let whole = reading.outcome()
        for await _ in isPaused.stream { break }
        await withTaskGroup(of: AFDataResponse<Data?>.self) { group in
            for _ in 0..<others { group.addTask { await session.request(small).outcome() } }
            for await response in group {
                if response.response?.statusCode == 200 { outcome.othersAnswered += 1 }
                if response.metrics?.reusedConnection == true { outcome.othersOnTheConnection += 1 }
                outcome.spoken.insert(response.metrics?.networkProtocol ?? "")
            }
        }
        outcome.growthWhilePaused = residentBytes() - before
        reading.resume()
        let response = await whole
        outcome.failure = response.error.map { "\($0)" }
        if let file = response.fileURL {
            outcome.bytes = (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
            try? FileManager.default.removeItem(at: file)
        }
        return outcome
    }
}

extension DataRequest {
    func outcome() async -> AFDataResponse<Data?> {
        await withCheckedContinuation { continuation in
            response(queue: .global()) { continuation.resume(returning: $0) }.resume()
        }
    }
}

extension DownloadRequest {
    fileprivate func outcome() async -> AFDownloadResponse<URL?> {
        await withCheckedContinuation { continuation in
            response(queue: .global()) { continuation.resume(returning: $0) }.resume()
        }
    }
}

/// The resident memory of the process, as reported by the kernel.
private func residentBytes() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}
