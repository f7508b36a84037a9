#if TaskAlias
/// The first names of Swift's own `Task`, which name the import that a file needs.
extension RequestTask {
    /// Names the import of Swift's own `Task`.
    @available(*, unavailable, message: "This is Moya's Task: for Swift's, write import struct _Concurrency.Task")
    public init<Success>(
        priority: TaskPriority? = nil, operation: @escaping @Sendable @isolated(any) () async throws -> Success
    ) { self = .requestPlain }

    /// Names the import of Swift's own `Task`.
    @available(*, unavailable, message: "This is Moya's Task: for Swift's, write import struct _Concurrency.Task")
    public static func detached<Success>(
        priority: TaskPriority? = nil, operation: @escaping @Sendable @isolated(any) () async throws -> Success
    ) {}

    /// Names the import of Swift's own `Task`.
    @available(*, unavailable, message: "This is Moya's Task: for Swift's, write import struct _Concurrency.Task")
    public static func sleep(for duration: Duration) async throws {}

    /// Names the import of Swift's own `Task`.
    @available(*, unavailable, message: "This is Moya's Task: for Swift's, write import struct _Concurrency.Task")
    public static var isCancelled: Bool { false }
}
#endif
