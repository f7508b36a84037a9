public import Foundation

/// The progress of a call.
///
/// `@unchecked`: a `Progress` can be used from any thread.
public struct ProgressResponse: @unchecked Sendable {
    /// The response, in the last event of a successful call.
    public let response: Response?
    /// The bytes counted so far; the total is -1 while the length is unknown.
    public var progressObject: Progress? { given ?? counted?.progress }

    private let given: Progress?
    private let counted: LazyProgress?

    /// Makes an event.
    public init(progress: Progress? = nil, response: Response? = nil) {
        self.init(given: progress, counted: nil, response)
    }

    /// Makes the event of a separate count: a shared one may have changed by the time it is read.
    private init(given: Progress? = nil, counted: LazyProgress?, _ response: Response?) {
        self.given = given
        self.counted = counted
        self.response = response
    }

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

    /// Makes the event of a count.
    init(completed: Int64, total: Int64?) { self.init(counted: LazyProgress(completed: completed, total: total), nil) }

    /// Makes the last event of a call, with the last count.
    init(endOf result: Result<Response, MoyaError>, completed: Int64, total: Int64?) {
        self.init(counted: LazyProgress(completed: completed, total: total), try? result.get())
    }
}
