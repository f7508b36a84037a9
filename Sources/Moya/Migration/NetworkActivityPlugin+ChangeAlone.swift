extension NetworkActivityPlugin {
    /// Makes a plugin whose closure learns the change alone, as up to Moya 9.
    ///
    /// - Parameter networkActivityClosure: Learns of a change; runs where plugins run.
    @available(*, deprecated, message: "Take the target too: { change, target in }")
    @preconcurrency
    public convenience init(
        networkActivityClosure: @escaping @Sendable (_ change: NetworkActivityChangeType) -> Void
    ) {
        self.init { change, _ in networkActivityClosure(change) }
    }
}
