/// The undelivered events of a subscription, and the right to deliver them: a state machine without side effects.
///
///     request -> the first says that the call is to be made
///     append, finish -> beginDelivery -> next, next, ... until nil
///     cancel -> nothing more
struct EventQueue<Value: Sendable> {
    private enum Phase {
        case idle, running, ended, over, cancelled
    }

    private var phase = Phase.idle
    /// The number of values that the subscriber still accepts; `.max` is unlimited.
    private var demand = 0
    private var values: [Value] = []
    private var error: MoyaError?
    private var isDelivering = false

    /// `true` while the call is in flight.
    var awaitsEnd: Bool { phase == .running }
    /// `true` if the subscriber left before the end.
    var isCancelled: Bool { phase == .cancelled }

    /// `true` if the subscriber accepts another value.
    var hasDemand: Bool { demand > values.count }

    /// Adds demand, at least 1; `true` for the first demand, on which the call is made.
    mutating func request(_ count: Int) -> Bool {
        let (sum, isTooMuch) = demand.addingReportingOverflow(count)
        demand = isTooMuch ? .max : sum
        guard phase == .idle else { return false }
        phase = .running
        return true
    }

    /// Appends a value of the call.
    ///
    /// A progress value that is not yet requested is replaced with the next one, and returned.
    @discardableResult
    mutating func append(_ value: Value) -> Value? {
        guard phase == .running else { return nil }
        let replaced = values.count > demand ? values.removeLast() : nil
        values.append(value)
        return replaced
    }

    /// Records the end of the call.
    mutating func finish(_ error: MoyaError?) {
        guard phase == .running else { return }
        phase = .ended
        self.error = error
    }

    /// Drops everything, and returns it.
    @discardableResult
    mutating func cancel() -> [Value] {
        guard phase != .over else { return [] }
        phase = .cancelled
        defer { values = [] }
        return values
    }

    /// `true` if the caller has to deliver; `false` if there is nothing to deliver, or while another thread does.
    mutating func beginDelivery() -> Bool {
        guard !isDelivering, isValueDue || isEndDue else { return false }
        isDelivering = true
        return true
    }

    private var isValueDue: Bool { !values.isEmpty && demand > 0 && phase != .over }

    /// A failure does not wait for demand for the previous values, because that may never come.
    private var isEndDue: Bool { phase == .ended && (values.isEmpty || error != nil) }

    /// The next event to deliver; `nil` ends the delivery.
    mutating func next() -> CallEvent<Value>? {
        if isValueDue {
            if demand != .max { demand -= 1 }
            return .value(values.removeFirst())
        }
        if isEndDue {
            phase = .over
            return error.map { .failed($0) } ?? .finished
        }
        isDelivering = false
        return nil
    }

    /// Removes the values that a failure has overtaken, and returns them.
    mutating func takeOvertaken() -> [Value] {
        guard phase == .over else { return [] }
        defer { values = [] }
        return values
    }
}
