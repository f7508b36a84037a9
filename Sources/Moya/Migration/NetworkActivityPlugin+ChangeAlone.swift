extension NetworkActivityPlugin {
    /// Makes a plugin whose closure receives only the change, as up to Moya 9.
    ///
    /// - Parameter networkActivityClosure: Receives a change; runs where plugins run.
    @available(*, deprecated, message: "Take the target too: { change, target in }")
    @preconcurrency
    public convenience init(
        networkActivityClosure: @escaping @Sendable (_ change: NetworkActivityChangeType) -> Void
    ) {
        self.init { change, _ in networkActivityClosure(change) }
    }
}
