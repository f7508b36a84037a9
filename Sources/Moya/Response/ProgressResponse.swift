public import Foundation

/// The progress of a call.
///
/// `@unchecked`: a `Progress` can be used from any thread.
public struct ProgressResponse: @unchecked Sendable {
    /// The response, in the last event of a successful call.
    public let response: Response?
    /// The bytes counted so far, in one object for all events of a call; the total is -1 while the length is unknown.
    public var progressObject: Progress? { given ?? counted?.live?.progress }

    private let given: Progress?
    private let counted: EventCount?

    /// Makes an event.
    public init(progress: Progress? = nil, response: Response? = nil) {
        self.init(given: progress, counted: nil, response)
    }

    /// Makes the event of a count: the object may have changed by the time the event is read.
    private init(given: Progress? = nil, counted: EventCount?, _ response: Response?) {
        self.given = given
        self.counted = counted
        self.response = response
    }

    /// The object of the call that made the event; `nil` if the event was made with another.
    var live: LiveProgress? { counted?.live }

    /// Returns the event with a response.
    func with(_ response: Response) -> ProgressResponse { ProgressResponse(given: given, counted: counted, response) }

    /// The fraction from 0 to 1; 0 while the length is unknown and the call incomplete.
    public var progress: Double {
        if completed { return 1 }
        if let counted { return counted.fraction }
        guard let given, given.totalUnitCount > 0 else { return 0 }
        return given.fractionCompleted
    }

    /// `true` if the event has the response.
    public var completed: Bool { response != nil }

    /// ``progress``, in every event except the one with the response.
    package var progressUntilCompleted: Double? { completed ? nil : progress }

    /// Makes the event of a count, and updates the object of the call.
    init(_ count: EventCount, _ response: Response? = nil) {
        var count = count
        let live = count.live ?? LiveProgress()
        count.live = live
        live.update(completed: count.completed, total: count.total)
        self.init(counted: count, response)
    }

    /// Makes the last event of a call, with the last count.
    init(endOf result: Result<Response, MoyaError>, _ count: EventCount) { self.init(count, try? result.get()) }
}
