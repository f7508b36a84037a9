extension MultiTarget: AccessTokenAuthorizable {
    /// The wrapped target's type, if it is authorizable; otherwise `nil`.
    public var authorizationType: AuthorizationType? {
        (target as? any AccessTokenAuthorizable)?.authorizationType
    }
}
