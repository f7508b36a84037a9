public import Foundation

/// The progress of a call.
///
/// `@unchecked`: the `Progress` may be used from any thread.
public struct ProgressResponse: @unchecked Sendable {
    /// The response, in the last event of a call that succeeded.
    public let response: Response?
    /// The bytes counted so far; its total is -1 while the length is not known.
    public let progressObject: Progress?

    /// Makes an event.
    public init(progress: Progress? = nil, response: Response? = nil) {
        progressObject = progress
        self.response = response
    }

    /// From 0 to 1; 0 as long as the length is not known and the call not complete.
    public var progress: Double {
        if completed { return 1 }
        guard let progressObject, progressObject.totalUnitCount > 0 else { return 0 }
        return progressObject.fractionCompleted
    }

    /// `true` if the response is there.
    public var completed: Bool { response != nil }

    /// A new event for each count: a shared one may have moved on by the time it is looked at.
    init(completed: Int64, total: Int64?) {
        let progress = Progress(totalUnitCount: total ?? -1)
        progress.completedUnitCount = completed
        self.init(progress: progress)
    }

    /// The last event of a call, with the last count.
    init(endOf result: Result<Response, MoyaError>, completed: Int64, total: Int64?) {
        let progress = Progress(totalUnitCount: total ?? -1)
        progress.completedUnitCount = completed
        self.init(progress: progress, response: try? result.get())
    }
}
