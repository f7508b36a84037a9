/// The accessors of the package Result, which Moya used up to version 13.
///
/// An app's own extension takes precedence.
extension Result where Failure == MoyaError {
    /// Makes a success.
    @available(*, deprecated, message: "Write .success(value)")
    @_disfavoredOverload
    public init(value: Success) { self = .success(value) }

    /// Makes a failure.
    @available(*, deprecated, message: "Write .failure(error)")
    @_disfavoredOverload
    public init(error: MoyaError) { self = .failure(error) }

    /// The value of a success.
    @available(*, deprecated, message: "Write try? result.get()")
    @_disfavoredOverload
    public var value: Success? { try? get() }

    /// The error of a failure.
    @available(*, deprecated, message: "Write if case .failure(let error) = result")
    @_disfavoredOverload
    public var error: MoyaError? { if case .failure(let error) = self { error } else { nil } }

    /// Combines both cases to one value.
    @available(*, deprecated, message: "Write a switch over .success and .failure")
    @_disfavoredOverload
    public func analysis<Value>(
        ifSuccess: (Success) -> Value, ifFailure: (MoyaError) -> Value
    ) -> Value {
        switch self {
        case .success(let value): ifSuccess(value)
        case .failure(let error): ifFailure(error)
        }
    }
}
