public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Makes a call's result: the error, else the response, else `NSURLErrorUnknown`.
public func convertResponseToResult(
    _ response: HTTPURLResponse?, request: URLRequest?, data: Data?, error: (any Swift.Error)?
) -> Result<Response, MoyaError> {
    let answer = response.map {
        Response(statusCode: $0.statusCode, data: data ?? Data(), request: request, response: $0)
    }
    if let error { return .failure(.underlying(error, answer)) }
    if let answer { return .success(answer) }
    return .failure(.underlying(NSError(domain: NSURLErrorDomain, code: NSURLErrorUnknown), nil))
}

extension Result<Response, MoyaError> {
    /// The response, or that of the error; `nil` without one.
    var response: Response? {
        switch self {
        case .success(let response): response
        case .failure(let error): error.response
        }
    }
}
