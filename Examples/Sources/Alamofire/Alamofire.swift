// snippet: keep import Alamofire
@_exported import MoyaSession
// end
