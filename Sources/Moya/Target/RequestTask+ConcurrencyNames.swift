#if TaskAlias
/// The names of Swift's own `Task`, which tell the import that a file needs.
extension RequestTask {
    /// Names the import of Swift's own `Task`.
    @available(
        *, unavailable,
        message: "This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task"
    )
    public init<Success>(
        name: String? = nil, priority: TaskPriority? = nil,
        operation: @escaping @Sendable @isolated(any) () async throws -> Success
    ) { self = .requestPlain }

    /// Names the import of Swift's own `Task`.
    @available(
        *, unavailable,
        message: "This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task"
    )
    public static func detached<Success>(
        name: String? = nil, priority: TaskPriority? = nil,
        operation: @escaping @Sendable @isolated(any) () async throws -> Success
    ) -> RequestTask { .requestPlain }

    /// Names the import of Swift's own `Task`.
    @available(
        *, unavailable,
        message: "This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task"
    )
    public static func sleep(
        for duration: Duration, tolerance: Duration? = nil, clock: any Clock<Duration> = ContinuousClock()
    ) async throws {}

    /// Names the import of Swift's own `Task`.
    @available(
        *, unavailable,
        message: "This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task"
    )
    public static func sleep<Time: Clock>(
        until deadline: Time.Instant, tolerance: Time.Duration? = nil, clock: Time
    ) async throws {}

    /// Names the import of Swift's own `Task`.
    @available(
        *, unavailable,
        message: "This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task"
    )
    public static func sleep(nanoseconds duration: UInt64) async throws {}

    /// Names the import of Swift's own `Task`.
    @available(
        *, unavailable,
        message: "This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task"
    )
    public static func yield() async {}

    /// Names the import of Swift's own `Task`.
    @available(
        *, unavailable,
        message: "This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task"
    )
    public static func checkCancellation() throws {}

    /// Names the import of Swift's own `Task`.
    @available(
        *, unavailable,
        message: "This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task"
    )
    public static var isCancelled: Bool { false }

    /// Names the import of Swift's own `Task`.
    @available(
        *, unavailable,
        message: "This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task"
    )
    public var isCancelled: Bool { false }

    /// Names the import of Swift's own `Task`.
    @available(
        *, unavailable,
        message: "This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task"
    )
    public var value: Void { get async throws {} }

    /// Names the import of Swift's own `Task`.
    @available(
        *, unavailable,
        message: "This is Moya's Task: for Swift's, write import struct _Concurrency.Task; Moya's is then Moya.Task"
    )
    public func cancel() {}
}
#endif
