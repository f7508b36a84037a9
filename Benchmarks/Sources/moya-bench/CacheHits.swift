import CMeasure
import Foundation
import Moya
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Compares calls answered by each kind of cache with calls without a cache, in one process.
///
/// The transport is a closure that answers immediately: `plain` is the cost of a call, to which a cache adds its own.
/// With `--url`, `network` are calls to that server; `--client small` omits the larger bodies. A disk cache reads bodies of
/// more than a megabyte from their files each time.
enum CacheHits {
    private static let inFlight = 64
    private static let rounds = 5
    private static let megabyte = 1 << 20

    static func run(_ options: Options) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("moya-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, body, calls) in [
            ("small", BenchmarkAPI.sampleBytes, 20_000), ("megabyte", Data(repeating: 0x61, count: megabyte), 640),
            ("large", Data(repeating: 0x61, count: 2 * megabyte), 320),
        ] where options.client.isEmpty || options.client == name {
            var contenders: [(String, MoyaProvider<BenchmarkAPI>, BenchmarkAPI)] = []
            let target = BenchmarkAPI.small(URL(string: "http://127.0.0.1:9") ?? folder)
            for client in ["plain", "memory", "disk", "urlcache"] {
                let session = session(client, body, folder.appendingPathComponent("\(name)-\(client)"))
                contenders.append((client, MoyaProvider(session: session), target))
            }
            if name == "megabyte" {
                for (client, provider, target) in contenders.dropFirst().prefix(2) {
                    contenders.append((client + "Stream", provider, target))
                }
            }
            if name == "small", options.url.scheme == "http" {
                contenders.append(("network", MoyaProvider(session: options.session()), .small(options.url)))
            }
            for (client, provider, target) in contenders {
                let isStream = client.hasSuffix("Stream")
                let isHit = client.hasPrefix("memory") || client.hasPrefix("disk")
                // Stored by the first calls, answered by the cache in the next. A response makes its status anew each time
                // that it is asked for it, which the measured calls therefore omit.
                for mustHit in [false, isHit] {
                    try await call(provider, target, inFlight * 10, body.count, isStream: isStream, mustHit: mustHit)
                }
                var seconds = Double.infinity
                var cpu = Double.infinity
                let allocations = measure_allocations()
                for _ in 0..<rounds {
                    let (started, before) = (measure_now(), measure_cpu_microseconds())
                    try await call(provider, target, calls, body.count, isStream: isStream)
                    cpu = min(cpu, measure_cpu_microseconds() - before)
                    seconds = min(seconds, Double(measure_now() - started) / 1e9)
                }
                let figures = [
                    ("perSecond", Double(calls) / seconds), ("cpuMicroseconds", cpu / Double(calls)),
                    ("allocations", Double(measure_allocations() - allocations) / Double(calls * rounds)),
                    ("mebibytesPerSecond", Double(calls) * Double(body.count) / 1_048_576 / seconds),
                ]
                print("\(name)/\(client) ", terminator: "")
                Figures.print(figures)
            }
        }
        print("memcpy ", terminator: "")
        Figures.print([("mebibytesPerSecond", copying())])
    }

    private static func session(_ client: String, _ body: Data, _ folder: URL) -> Session {
        let configuration = URLSessionConfiguration.default
        configuration.headers = .default
        var cache: HTTPCache?
        switch client {
        case "memory": cache = .memory(limit: 256 << 20)
        case "disk": cache = .disk(at: folder, limit: 256 << 20)
        case "urlcache":
            configuration.urlCache = URLCache(memoryCapacity: 256 << 20, diskCapacity: 0, diskPath: nil)
        default: break
        }
        return Session(
            configuration: configuration, startRequestsImmediately: false, cache: cache,
            transport: CannedTransport(body))
    }

    /// Makes concurrent calls or streams, and checks the length of each body, and that a cache answered it if it has to.
    private static func call(
        _ provider: MoyaProvider<BenchmarkAPI>, _ target: BenchmarkAPI, _ count: Int, _ length: Int, isStream: Bool,
        mustHit: Bool = false
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<inFlight {
                group.addTask {
                    for _ in 0..<count / inFlight {
                        var received = 0
                        var outcome: CacheStatus.Outcome?
                        if isStream {
                            let response = try await provider.stream(target)
                            if mustHit { outcome = response.response?.cacheStatus?.outcome }
                            for try await piece in response.bytes { received += piece.count }
                        } else {
                            let response = try await provider.request(target)
                            if mustHit { outcome = response.cacheStatus?.outcome }
                            received = response.data.count
                        }
                        guard received == length, !mustHit || outcome == .hit else {
                            throw UsageError("a wrong answer")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Measures the speed of copying into memory that was used before, in mebibytes per second.
    private static func copying() -> Double {
        let from = [UInt8](repeating: 1, count: megabyte)
        var to = [UInt8](repeating: 0, count: megabyte)
        var best = Double.infinity
        for _ in 0..<200 {
            let started = measure_now()
            to.withUnsafeMutableBytes { target in from.withUnsafeBytes { target.copyMemory(from: $0) } }
            best = min(best, Double(measure_now() - started) / 1e9)
        }
        return to[0] == 1 ? 1 / best : 0
    }

    /// Stores a response of 1 GiB in a cache on disk, and reads it again.
    static func download(_ options: Options) async throws {
        guard let file = options.file else { throw UsageError("--file is missing") }
        let folder = file.deletingLastPathComponent().appendingPathComponent("moya-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = HTTPCache.disk(at: folder, limit: 8 << 30)
        let target = BenchmarkAPI.download(URL(string: "http://127.0.0.1:9") ?? folder, to: file)
        // The first call allocates memory that is not part of the transfer.
        let first = MoyaProvider<BenchmarkAPI>(
            session: Session(
                startRequestsImmediately: false, cache: .memory(), transport: CannedTransport(Data("a".utf8))))
        _ = try await first.request(target)
        let length: Int64 = 1 << 30
        let provider = MoyaProvider<BenchmarkAPI>(
            session: Session(startRequestsImmediately: false, cache: cache, transport: LongTransport(length: length)))
        for name in ["stored", "hit"] {
            let (peak, cpu, started) = (measure_status("VmHWM"), measure_cpu_microseconds(), measure_now())
            let response = try await provider.request(target)
            let seconds = Double(measure_now() - started) / 1e9
            let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
            guard size == length, name != "hit" || response.cacheStatus?.outcome == .hit else {
                throw UsageError("a wrong answer")
            }
            print("\(name) \(response.cacheStatus?.description ?? "") ", terminator: "")
            Figures.print([
                ("mebibytesPerSecond", Double(size) / 1_048_576 / seconds),
                ("cpuMicroseconds", measure_cpu_microseconds() - cpu), ("bytes", Double(size)),
                ("extraKiB", Double(measure_status("VmHWM") - peak)),
            ])
            try FileManager.default.removeItem(at: file)
        }
    }
}
