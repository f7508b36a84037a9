extension MultiTarget: AccessTokenAuthorizable {
    /// The target's own, when it is authorizable; else `nil`.
    public var authorizationType: AuthorizationType? {
        (target as? any AccessTokenAuthorizable)?.authorizationType
    }
}
