/// The undelivered events of a request for its monitors: a state machine without side effects.
///
/// Several threads report events of a request: that of its exchange, and that of a caller who cancels it. One of them
/// delivers at a time, in the order in which they were appended:
///
///     append -> the caller delivers if it returns true: next, next, ... until nil
///
/// An event that comes behind the end is dropped: a monitor that has forgotten the request would remember it again.
struct EventOutbox {
    typealias Delivery = (event: RequestEvent, monitor: CompositeEventMonitor)

    private var undelivered: [Delivery] = []
    private var isDelivering = false
    private var isFinished = false
    /// The attempt that was created and has not completed.
    private var task: RequestAttempt?
    private var lastCompleted = -1

    /// Appends an event, unless it comes too late.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - monitor: The monitors that are told.
    ///   - error: The error of the request, for an attempt that the end overtakes: it is completed before.
    /// - Returns: `true` if the caller has to deliver.
    mutating func append(_ event: RequestEvent, for monitor: CompositeEventMonitor, error: SessionError?) -> Bool {
        guard isInTime(event) else { return false }
        if case .didFinish = event {
            isFinished = true
            if let task { undelivered.append((.didCompleteTask(task, error), monitor)) }
        }
        undelivered.append((event, monitor))
        defer { isDelivering = true }
        return !isDelivering
    }

    /// The next event to deliver; `nil` ends the delivery.
    mutating func next() -> Delivery? {
        guard undelivered.isEmpty else { return undelivered.removeFirst() }
        isDelivering = false
        return nil
    }

    private mutating func isInTime(_ event: RequestEvent) -> Bool {
        switch event {
        // Handlers may be added at any time.
        case .didParseDataResponse, .didParseDownloadResponse: return true
        case _ where isFinished: return false
        case .didCreateTask(let created):
            guard created.number > lastCompleted else { return false }
            task = created
            return true
        case .didCompleteTask(let completed, _):
            lastCompleted = max(lastCompleted, completed.number)
            guard task?.number == completed.number else { return false }
            task = nil
            return true
        case .didResumeTask(let known), .didSuspendTask(let known), .didCancelTask(let known):
            return task?.number == known.number
        default: return true
        }
    }
}
