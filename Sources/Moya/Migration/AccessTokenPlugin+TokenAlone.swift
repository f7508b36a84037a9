extension AccessTokenPlugin {
    /// Makes a plugin whose closure is given no target, as up to Moya 13.
    ///
    /// - Parameter tokenClosure: Gives the token, which is sent as it is.
    @available(*, deprecated, message: "Take the target too: { target in … }")
    @preconcurrency
    public init(tokenClosure: @escaping @Sendable () -> String) {
        self.init { _ in tokenClosure() }
    }
}
