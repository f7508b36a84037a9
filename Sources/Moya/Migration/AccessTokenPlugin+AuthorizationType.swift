extension AccessTokenPlugin {
    /// Makes a plugin whose closure receives the authorization type, as in Moya 14.
    ///
    /// - Parameter tokenClosure: Returns the token for that type, which is sent unchanged.
    @available(*, deprecated, message: "Take the target: { target in … }")
    @_disfavoredOverload
    @preconcurrency
    public init(tokenClosure: @escaping @Sendable (AuthorizationType) -> String) {
        self.init { (target: any TargetType) -> String in
            // Called only for targets with an authorization type.
            (target as? any AccessTokenAuthorizable)?.authorizationType.map(tokenClosure) ?? ""
        }
    }
}
