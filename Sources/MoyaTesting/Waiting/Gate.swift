/// A point in a script at which a test holds a server, until the test opens it.
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

    /// Waits until the gate is open or a single pass is available.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, as a server's tasks are when it stops.
    public func wait() async throws {
        arrivalCount.update { $0 += 1 }
        try await passage.first { passage in
            if passage.isOpen { return () }
            guard passage.passes > 0 else { return nil }
            passage.passes -= 1
            return ()
        }
    }

    /// Lets all arrivals pass, now and later.
    public func open() {
        passage.update { $0.isOpen = true }
    }

    /// Lets a number of arrivals pass, whether they already wait or arrive later; none if it is less than 1.
    public func open(times: Int) {
        passage.update { $0.passes += min(max(times, 0), .max - $0.passes) }
    }

    /// Holds all later arrivals, and revokes unused passes.
    public func shut() {
        passage.update { $0 = Passage(isOpen: false) }
    }

    /// Waits until a total number of arrivals is reached.
    ///
    /// - Throws: ``TestSupportError/timedOut(_:)`` if it is not reached within the limit, `CancellationError`.
    public func waitForArrivals(_ count: Int, within limit: Duration = .seconds(30)) async throws {
        let arrivalCount = arrivalCount
        _ = try await arrivalCount.when(within: limit) {
            .timedOut("\(count) arrivals at a gate; \(arrivalCount.value) came")
        } _: {
            $0 >= count
        }
    }
}
