/// A point in a script at which a test holds a server, and lets it go.
///
/// ```swift
/// let gate = Gate()
/// let server = try await LoopbackServer { exchange in
///     try await exchange.send(head: 200, ["Content-Length": "2"])
///     try await gate.wait()
///     try await exchange.send("ok")
/// }
/// // ... start a request ...
/// try await gate.waitForArrivals(1)   // the head has been sent, the body has not
/// gate.open()
/// ```
public final class Gate: Sendable {
    private struct Passage: Sendable {
        var isOpen: Bool
        var passes = 0
    }

    private let passage: Watched<Passage>
    private let arrivalCount = Watched(0)

    /// Makes a gate, shut by default.
    public init(isOpen: Bool = false) {
        passage = Watched(Passage(isOpen: isOpen))
    }

    /// The number of arrivals at the gate so far, including those that have passed.
    public var arrivals: Int { arrivalCount.value }

    /// Waits until the gate is open or a single pass is left.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, as a server's are when it stops.
    public func wait() async throws {
        arrivalCount.update { $0 += 1 }
        try await passage.first { passage in
            if passage.isOpen { return () }
            guard passage.passes > 0 else { return nil }
            passage.passes -= 1
            return ()
        }
    }

    /// Lets everybody through, now and later.
    public func open() {
        passage.update { $0.isOpen = true }
    }

    /// Lets through as many as stated, whether they wait already or come later; none when it is less than 1.
    public func open(times: Int) {
        passage.update { $0.passes += min(max(times, 0), .max - $0.passes) }
    }

    /// Holds everybody who comes from now on, and takes back the passes that are left.
    public func shut() {
        passage.update { $0 = Passage(isOpen: false) }
    }

    /// Waits until so many have come to the gate in all.
    ///
    /// - Throws: ``LoopbackError/timedOut(_:)`` when they do not come within the limit, `CancellationError`.
    public func waitForArrivals(_ count: Int, within limit: Duration = .seconds(30)) async throws {
        let arrivalCount = arrivalCount
        _ = try await withTimeLimit(limit) {
            .timedOut("\(count) arrivals at a gate; \(arrivalCount.value) came")
        } _: {
            try await arrivalCount.when { $0 >= count }
        }
    }
}
