public import Foundation
public import MoyaSession

/// The content of a request and the way its response is received.
///
/// Its name in Moya 15 code is `Task`, an alias that is available with the package trait `TaskAlias`, enabled by
/// default. If the alias shadows Swift's own `Task`, write `import struct _Concurrency.Task`; in that file, write
/// `Moya.Task` for Moya's. Or disable the trait.
public enum RequestTask: Sendable {
    /// Sends no body.
    case requestPlain
    /// Sends bytes.
    case requestData(Data)
    /// Sends a value as JSON, with `Content-Type: application/json` unless the target sets one.
    @preconcurrency
    case requestJSONEncodable(any Encodable & Sendable)
    /// Sends a value as JSON, with a custom encoder.
    @preconcurrency
    case requestCustomJSONEncodable(any Encodable & Sendable, encoder: JSONEncoder)
    /// Sends parameters in the URL or the body, as the encoding determines.
    @preconcurrency
    case requestParameters(parameters: [String: any Sendable], encoding: any ParameterEncoding)
    /// Sends bytes, and parameters in the URL.
    @preconcurrency
    case requestCompositeData(bodyData: Data, urlParameters: [String: any Sendable])
    /// Sends parameters in the body and others in the URL.
    ///
    /// A `URLEncoding` for the body must have the destination `.httpBody`.
    @preconcurrency
    case requestCompositeParameters(
        bodyParameters: [String: any Sendable], bodyEncoding: any ParameterEncoding,
        urlParameters: [String: any Sendable])
    /// Sends a file, read while it is sent.
    case uploadFile(URL)
    /// Sends a multipart form.
    case uploadMultipart([MultipartFormData])
    /// Sends a multipart form, and parameters in the URL.
    @preconcurrency
    case uploadCompositeMultipart([MultipartFormData], urlParameters: [String: any Sendable])
    /// Saves the response body to a file.
    case downloadDestination(DownloadDestination)
    /// Sends parameters and saves the response body to a file.
    @preconcurrency
    case downloadParameters(
        parameters: [String: any Sendable], encoding: any ParameterEncoding, destination: DownloadDestination)
}

#if TaskAlias
/// The name of ``RequestTask`` in Moya 15 code.
public typealias Task = RequestTask
#endif
