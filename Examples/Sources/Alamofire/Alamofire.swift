// snippet: keep import Alamofire
@_exported import MoyaSession

/// The form of an upload.
public typealias MultipartFormData = RequestMultipartFormData
// end
