import Foundation
import Moya
import MoyaSession
import MoyaTesting
import MoyaURLSession

extension Setting {
    static let transport: [Setting] = [
        Setting("Timeouts.init#connect") { (bound: Double?) in
            try await exchange(Timeouts(connect: bound))
        },
        Setting("Timeouts.init#idle") { (bound: Double?) in try await exchange(Timeouts(idle: bound)) },
        Setting("Timeouts.init#total") { (bound: Double?) in try await exchange(Timeouts(total: bound)) },
        Setting("Timeouts.connect") { (bound: Double?) in
            var timeouts = Timeouts(total: 1)
            timeouts.connect = bound
            try await exchange(timeouts)
        },
        Setting("Timeouts.idle") { (bound: Double?) in
            var timeouts = Timeouts(total: 1)
            timeouts.idle = bound
            try await exchange(timeouts)
        },
        Setting("Timeouts.total") { (bound: Double?) in
            var timeouts = Timeouts(idle: 1)
            timeouts.total = bound
            try await exchange(timeouts)
        },
        Setting("TransportConfiguration.init#maximumConnectionsPerHost") { (count: Int?) in
            try await exchange(in: TransportConfiguration(maximumConnectionsPerHost: count))
        },
        Setting("TransportConfiguration.maximumConnectionsPerHost") { (count: Int?) in
            var configuration = TransportConfiguration()
            configuration.maximumConnectionsPerHost = count
            try await exchange(in: configuration)
        },
        Setting("TransportConfiguration.init#loops") { (count: Int) in
            try await exchange(in: TransportConfiguration(loops: count))
        },
        Setting("TransportConfiguration.loops") { (count: Int) in
            var configuration = TransportConfiguration()
            configuration.loops = count
            try await exchange(in: configuration)
        },
        Setting("TransportConfiguration.Proxy.init#port") { (port: Int) in
            for kind in TransportConfiguration.Proxy.Kind.allCases {
                try await exchange(
                    in: TransportConfiguration(proxy: .custom(.init(kind, host: "127.0.0.1", port: port))))
            }
        },
        Setting("TransportConfiguration.Proxy.port") { (port: Int) in
            var proxy = TransportConfiguration.Proxy(.http, host: "127.0.0.1", port: 1)
            proxy.port = port
            try await exchange(in: TransportConfiguration(proxy: .custom(proxy)))
        },
        Setting("TransportConfiguration.init#happyEyeballsDelay") { (delay: Duration?) in
            try await exchange(in: TransportConfiguration(proxy: .none, happyEyeballsDelay: delay))
        },
        Setting("TransportConfiguration.happyEyeballsDelay") { (delay: Duration?) in
            var configuration = TransportConfiguration(proxy: .none)
            configuration.happyEyeballsDelay = delay
            try await exchange(in: configuration)
        },
        Setting("TransportConfiguration.ResolveOverride.init#port") { (port: Int) in
            try await exchange(overriding: .init(host: "sample.test", port: port, addresses: ["127.0.0.1"]))
        },
        Setting("TransportConfiguration.ResolveOverride.init#connectPort") { (port: Int?) in
            try await exchange(
                overriding: .init(host: "sample.test", port: 80, addresses: ["127.0.0.1"], connectPort: port))
        },
        Setting("TransportConfiguration.ResolveOverride.port") { (port: Int) in
            var entry = TransportConfiguration.ResolveOverride(host: "sample.test", port: 1, addresses: ["127.0.0.1"])
            entry.port = port
            try await exchange(overriding: entry)
        },
        Setting("TransportConfiguration.ResolveOverride.connectPort") { (port: Int?) in
            var entry = TransportConfiguration.ResolveOverride(host: "sample.test", port: 1, addresses: ["127.0.0.1"])
            entry.connectPort = port
            try await exchange(overriding: entry)
        },
        Setting("TransportBody.file") { (length: Int64) in
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("moya-\(UUID().uuidString)")
            try Data("abc".utf8).write(to: file)
            try await exchange(body: .file(file, length: length))
            try FileManager.default.removeItem(at: file)
        },
        Setting("TransportBody.stream") { (length: Int64?) in
            try await exchange(body: .stream(EndlessReader(), length: length))
            try await exchange(body: .stream(EmptyReader(), length: length))
        },
        Setting("TransportEvent.sent") { (count: Int64) in
            for expected in [nil, 0, 1, Int64.max] {
                try await report(.sent(bytes: count, expected: expected))
                try await report(.sent(bytes: 1, expected: 1), .sent(bytes: count, expected: expected))
                try await report(.sent(bytes: 50, expected: 100), .sent(bytes: 3, expected: count))
                try await report(.sent(bytes: count, expected: count), .sent(bytes: 5, expected: expected))
            }
        },
        Setting("TransportResponseHead.init#status (2)") { (status: Int) in
            try await report(.head(TransportResponseHead(status: status)))
            try await report(.informational(TransportResponseHead(status: status)))
            try await report(.head(TransportResponseHead(status: status, version: "HTTP/1.1", section: [])))
        },
        Setting("TransportResponseHead.contentLength") { (length: Int64) in
            let fields = [HTTPField(name: "Content-Length", value: "\(length)")]
            let first = TransportResponseHead(status: 200, fields: fields)
            try await report(.head(first))
            try await report(.head(first), .head(TransportResponseHead(status: 200)))
        },
        Setting("TransportFailure.init#code") { (code: Int) in
            await call(answers: .failure(TransportFailure(.other, message: "m", code: code)))
        },
        Setting("TransportFailure.code") { (code: Int) in
            var failure = TransportFailure(.timeout(.total), message: "m")
            failure.code = code
            await call(answers: .failure(failure))
        },
        Setting("TransportMetrics.init#nameLookupEnd") { (time: Double) in
            await measure(TransportMetrics(nameLookupEnd: time))
        },
        Setting("TransportMetrics.init#connectEnd") { (time: Double) in
            await measure(TransportMetrics(connectEnd: time))
        },
        Setting("TransportMetrics.init#tlsEnd") { (time: Double) in await measure(TransportMetrics(tlsEnd: time)) },
        Setting("TransportMetrics.init#firstByte") { (time: Double) in await measure(TransportMetrics(firstByte: time))
        },
        Setting("TransportMetrics.init#total") { (time: Double) in await measure(TransportMetrics(total: time)) },
        Setting("TransportMetrics.init#bytesSent") { (count: Int64) in await measure(TransportMetrics(bytesSent: count))
        },
        Setting("TransportMetrics.init#bytesReceived") { (count: Int64) in
            await measure(TransportMetrics(bytesReceived: count))
        },
        Setting("TransportMetrics.init#start") { (time: Date) in await measure(TransportMetrics(start: time)) },
        Setting("TransportMetrics.start") { (time: Date) in await measure { $0.start = time } },
        Setting("TransportMetrics.init#remotePort") { (port: Int) in await measure(TransportMetrics(remotePort: port))
        },
        Setting("TransportMetrics.nameLookupEnd") { (time: Double) in await measure { $0.nameLookupEnd = time } },
        Setting("TransportMetrics.connectEnd") { (time: Double) in await measure { $0.connectEnd = time } },
        Setting("TransportMetrics.tlsEnd") { (time: Double) in await measure { $0.tlsEnd = time } },
        Setting("TransportMetrics.firstByte") { (time: Double) in await measure { $0.firstByte = time } },
        Setting("TransportMetrics.total") { (time: Double) in await measure { $0.total = time } },
        Setting("TransportMetrics.bytesSent") { (count: Int64) in await measure { $0.bytesSent = count } },
        Setting("TransportMetrics.bytesReceived") { (count: Int64) in await measure { $0.bytesReceived = count } },
        Setting("TransportMetrics.remotePort") { (port: Int) in await measure { $0.remotePort = port } },
    ]

    /// Makes an exchange with a server, by each wire, while another name has an override.
    private static func exchange(overriding entry: TransportConfiguration.ResolveOverride) async throws {
        try await exchange(in: TransportConfiguration(proxy: .none, resolveOverrides: [entry]))
    }

    /// Makes an exchange with a server, by each wire.
    private static func exchange(
        _ timeouts: Timeouts = Timeouts(), body: TransportBody = .none,
        in configuration: TransportConfiguration = TransportConfiguration(proxy: .none)
    ) async throws {
        guard let server = try? await LoopbackServer(handler: { try await $0.respond() }) else { return }
        let request = HTTPRequest(
            method: "POST", url: server.url.absoluteString + "/", body: body, timeouts: timeouts)
        let wire = Session(transportConfiguration: configuration).transport
        try await exchange(request, by: wire)
        try await exchange(request, by: URLSessionTransport(configuration: configuration))
        withExtendedLifetime(server) {}
    }

    private static func exchange(_ request: HTTPRequest, by wire: any Transport) async throws {
        let sink = EndingSink()
        let exchange = wire.start(request, delivering: sink)
        let bound = _Concurrency.Task {
            try await _Concurrency.Task.sleep(for: .milliseconds(5))
            exchange.cancel()
        }
        try await sink.end.value
        bound.cancel()
        withExtendedLifetime(wire) {}
    }

    /// Passes events to a request as its transport would.
    private static func report(_ events: TransportEvent...) async throws {
        let transport = ReportingTransport(events: events)
        for isChildFromTheStart in [true, false] {
            let session = Session(transport: transport)
            let request = session.upload(Data("abc".utf8), to: API().baseURL)
            let (sent, received) = (request.uploadProgress, request.downloadProgress)
            let whole = Progress(totalUnitCount: 10)
            func addChildren() {
                whole.addChild(sent, withPendingUnitCount: 5)
                whole.addChild(received, withPendingUnitCount: 5)
            }
            if isChildFromTheStart { addChildren() }
            await finish(session, request) {
                $0.uploadProgress(queue: .global()) { _ = $0.fractionCompleted }
                    .downloadProgress(queue: .global()) { _ = $0.fractionCompleted }
            }
            _ = sent.localizedDescription + received.localizedDescription
            if !isChildFromTheStart { addChildren() }
            _ = whole.fractionCompleted
        }
        let provider = MoyaProvider<API>(callbackQueue: .global(), session: Session(transport: transport))
        var api = API()
        api.task = .uploadCompositeMultipart([], urlParameters: [:])
        let end = Promise<Void>()
        provider.request(api, progress: { _ = $0.progress }) { result in
            _ = try? result.get().filterSuccessfulStatusCodes()
            _ = "\(result)"
            end.fulfill(())
        }
        try await end.value
        withExtendedLifetime(provider) {}
    }

    private static func measure(_ metrics: TransportMetrics) async {
        let session = Session(transport: ScriptedTransport(.response(200).measured(metrics)))
        await finish(session, session.request(API().baseURL))
        _ = "\(metrics) \(metrics.hashValue) \(metrics.taskInterval.duration)"
    }

    private static func measure(_ change: (inout TransportMetrics) -> Void) async {
        var metrics = TransportMetrics()
        change(&metrics)
        await measure(metrics)
    }
}

/// Waits for the end.
private final class EndingSink: TransportSink {
    let end = Promise<Void>()

    func receive(_ event: TransportEvent) -> TransportDemand {
        if case .end = event { end.fulfill(()) }
        return .more
    }
}

/// A body of any length.
private final class EndlessReader: TransportBodyReader {
    func read(
        into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void
    ) throws -> Int? {
        buffer.initializeMemory(as: UInt8.self, repeating: 65)
        return buffer.count
    }

    func rewind() -> Bool { true }
}

/// A body without a byte.
private final class EmptyReader: TransportBodyReader {
    func read(
        into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void
    ) throws -> Int? { 0 }

    func rewind() -> Bool { true }
}

/// Delivers events, a body, and the end.
///
/// `@unchecked`: the events contain no bytes.
private final class ReportingTransport: Transport, @unchecked Sendable {
    private let events: [TransportEvent]

    init(events: [TransportEvent]) { self.events = events }

    func start(_ request: HTTPRequest, delivering sink: any TransportSink) -> any TransportExchange {
        for event in events { _ = sink.receive(event) }
        withUnsafeBytes(of: 0) { _ = sink.receive(.chunk($0)) }
        _ = sink.receive(.end(TransportEnd()))
        return NoExchange()
    }
}

private final class NoExchange: TransportExchange {
    func cancel() {}
    func pause() {}
    func resume() {}
}
