/// The name of a session in Alamofire 4.
@available(*, deprecated, renamed: "Session")
public typealias SessionManager = Session
