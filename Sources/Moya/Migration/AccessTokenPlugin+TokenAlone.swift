extension AccessTokenPlugin {
    /// Makes a plugin whose closure receives no target, as up to Moya 13.
    ///
    /// - Parameter tokenClosure: Returns the token, sent unchanged.
    @available(*, deprecated, message: "Take the target too: { target in … }")
    @preconcurrency
    public init(tokenClosure: @escaping @Sendable () -> String) {
        self.init { _ in tokenClosure() }
    }
}
