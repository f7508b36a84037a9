public import Foundation

/// The progress of a call.
///
/// `@unchecked`: the `Progress` may be used from any thread.
public struct ProgressResponse: @unchecked Sendable {
    /// The response, in the last event of a call that succeeded.
    public let response: Response?
    /// The bytes counted so far; its total is -1 while the length is not known.
    public var progressObject: Progress? { given ?? counted?.progress }

    private let given: Progress?
    private let counted: LazyProgress?

    /// Makes an event.
    public init(progress: Progress? = nil, response: Response? = nil) {
        given = progress
        counted = nil
        self.response = response
    }

    /// The event of a count of its own: a shared one may have moved on by the time it is looked at.
    private init(_ counted: LazyProgress, _ response: Response?) {
        given = nil
        self.counted = counted
        self.response = response
    }

    /// From 0 to 1; 0 as long as the length is not known and the call not complete.
    public var progress: Double {
        if completed { return 1 }
        if let counted { return counted.fraction }
        guard let given, given.totalUnitCount > 0 else { return 0 }
        return given.fractionCompleted
    }

    /// `true` if the response is there.
    public var completed: Bool { response != nil }

    /// The event of a count.
    init(completed: Int64, total: Int64?) { self.init(LazyProgress(completed: completed, total: total), nil) }

    /// The last event of a call, with the last count.
    init(endOf result: Result<Response, MoyaError>, completed: Int64, total: Int64?) {
        self.init(LazyProgress(completed: completed, total: total), try? result.get())
    }
}
