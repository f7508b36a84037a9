import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

extension DataResponse: MaskedDescription {
    /// The request line, the status code, the length of the body and the kind of result, with secrets masked.
    public var description: String {
        let body = data.map { "\($0.count) bytes" } ?? "no body"
        return "DataResponse(\(responseText(request, response)), \(body), \(resultText(result)))"
    }
}

extension DownloadResponse: MaskedDescription {
    /// The request line, the status code, the file and the kind of result, with secrets masked.
    public var description: String {
        let file = fileURL?.path ?? "no file"
        return "DownloadResponse(\(responseText(request, response)), \(file), \(resultText(result)))"
    }
}

extension UploadRequest.Uploadable: MaskedDescription {
    /// The kind of the body, and its length if it is in memory.
    public var description: String {
        switch self {
        case .data(let data): "data(\(data.count) bytes)"
        case .file(let url, let shouldRemove): "file(\(url.path), shouldRemove: \(shouldRemove))"
        case .stream: "stream"
        }
    }
}

extension RequestAttempt: MaskedDescription {
    /// The number and the request line, with secrets masked.
    public var description: String { "RequestAttempt(\(number), \(requestText(urlRequest)))" }
}

/// The request line with secrets masked.
package func requestText(_ request: URLRequest?) -> String {
    guard let request else { return "no request" }
    return "\(request.httpMethod ?? "GET") \(SecretMask.standard.url(request.url?.absoluteString ?? ""))"
}

func responseText(_ request: URLRequest?, _ response: HTTPURLResponse?) -> String {
    "\(requestText(request)), \(response.map { "status \($0.statusCode)" } ?? "no response")"
}

private func resultText<Success, Failure>(_ result: Result<Success, Failure>) -> String {
    switch result {
    case .success: "success(\(Success.self))"
    case .failure(let error): "failure(\(SecretMask.standard.text(describing: error)))"
    }
}
