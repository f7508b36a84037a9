/// The default session, under the name that Alamofire uses.
public let AF = Session.default
