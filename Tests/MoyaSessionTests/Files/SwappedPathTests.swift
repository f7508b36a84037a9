import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

/// A thread that repeatedly replaces an item by a link to another, while the item is used.
@Suite struct SwappedPathTests {
    private let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private func path(_ name: String) -> String { directory.url.appendingPathComponent(name).path }

    /// Runs an operation until the path has led to the victim a number of times.
    private func swapping(_ name: String, with victim: String, _ operation: () throws -> Void) rethrows {
        let (path, aside, victim) = (path(name), path("aside"), path(victim))
        let swaps = Lock(0)
        let isOver = Lock(false)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            while !isOver.withLock({ $0 }) {
                rename(path, aside)
                symlink(victim, path)
                unlink(path)
                rename(aside, path)
                swaps.withLock { $0 += 1 }
            }
            ended.signal()
        }
        defer {
            isOver.withLock { $0 = true }
            ended.wait()
        }
        while swaps.withLock({ $0 }) < 300 { try operation() }
    }

    @Test func doNotLeadAnOpenCacheToAnotherFolder() throws {
        let victim = directory.url.appendingPathComponent("victim")
        try FileManager.default.createDirectory(at: victim, withIntermediateDirectories: false)
        let zeros = String(repeating: "0", count: 16)
        let names = ["\(zeros)-\(zeros)-\(zeros)-\(zeros).response", "\(zeros).body", "\(zeros).tmp", "salt"]
        for name in names { try Data("precious".utf8).write(to: victim.appendingPathComponent(name)) }
        let store = DiskCacheStore(at: path("cache"), limit: 1 << 20, memoryLimit: 0, encryption: nil) { _ in }
        swapping("cache", with: "victim") {
            for (number, count) in [10, 100_000].enumerated() {
                store.insert(StoredSample.response("http://a/\(number)", number, count: count, in: store)!)
                store.flush()
                #expect(store.responses(for: "http://a/\(number)").count == 1)
            }
            store.removeAll()
            store.flush()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: victim.path).sorted() == names.sorted())
        #expect(try FileManager.default.contentsOfDirectory(atPath: path("cache")) == ["salt"])
    }

    @Test func doNotLeadAResumedDownloadToAnotherFile() throws {
        let victim = directory.url.appendingPathComponent("victim")
        try Data("precious".utf8).write(to: victim)
        let part = directory.url.appendingPathComponent("part")
        try Data("first".utf8).write(to: part)
        swapping("part", with: "victim") {
            guard let file = try? TemporaryFile.reopen(part, length: 5) else { return }
            try? withUnsafeBytes(of: 0) { try file.write($0) }
        }
        #expect(try Data(contentsOf: victim) == Data("precious".utf8))
        #expect(try Data(contentsOf: part).prefix(5) == Data("first".utf8))
    }

    @Test func doNotLeadADownloadToAnotherFile() throws {
        let victim = directory.url.appendingPathComponent("victim")
        try Data("precious".utf8).write(to: victim)
        let target = directory.url.appendingPathComponent("target")
        try Data("old".utf8).write(to: target)
        let source = directory.url.appendingPathComponent("source")
        try swapping("target", with: "victim") {
            try Data("new".utf8).write(to: source)
            _ = try? FileReplacement.move(source, to: target, .removePreviousFile)
        }
        #expect(try Data(contentsOf: victim) == Data("precious".utf8))
    }
}
