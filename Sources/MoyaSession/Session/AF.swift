/// The default session, by the short name that Alamofire's users know.
public let AF = Session.default
