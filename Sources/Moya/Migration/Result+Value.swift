/// The parts of a result, as the package Result had them that Moya used up to version 13.
///
/// An extension of an app's own wins over these.
extension Result where Failure == MoyaError {
    /// The value of a success.
    @available(*, deprecated, message: "Write try? result.get()")
    @_disfavoredOverload
    public var value: Success? { try? get() }

    /// The error of a failure.
    @available(*, deprecated, message: "Write if case .failure(let error) = result")
    @_disfavoredOverload
    public var error: MoyaError? { if case .failure(let error) = self { error } else { nil } }

    /// Makes one value of either.
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
