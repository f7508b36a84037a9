public import Foundation
public import Moya

/// Uploads and downloads with a server that reports received data, like httpbin.
public enum Transfer: Sendable {
    /// A file as the whole body of a POST.
    case upload(file: URL, path: String)
    /// A multipart form with a file and text fields.
    case multipart(file: URL, fields: [String: String], path: String)
    /// A download, with its query, that replaces the file at the destination.
    case download(path: String, query: [String: String], destination: URL)
}

extension Transfer: TargetType {
    /// The base URL; ``MoyaProvider/at(_:stubbed:plugins:)`` sets the real server.
    public var baseURL: URL { GitHub.server }

    /// The path that the caller chose.
    public var path: String {
        switch self {
        case .upload(_, let path), .multipart(_, _, let path), .download(let path, _, _): path
        }
    }

    /// The method: POST for a request with a body.
    public var method: Moya.Method {
        switch self {
        case .upload, .multipart: .post
        case .download: .get
        }
    }

    /// The content: a file, a form, or a file to be written.
    public var task: Task {
        switch self {
        case .upload(let file, _):
            .uploadFile(file)
        case .multipart(let file, let fields, _):
            .uploadMultipart(
                fields.sorted { $0.key < $1.key }.map { name, value in
                    MultipartFormData(provider: .data(Data(value.utf8)), name: name)
                } + [
                    MultipartFormData(
                        provider: .file(file), name: "file", fileName: file.lastPathComponent,
                        mimeType: "application/octet-stream")
                ])
        case .download(_, let query, let destination):
            .downloadParameters(parameters: query, encoding: URLEncoding.queryString) { _, _ in
                (destination, [.removePreviousFile, .createIntermediateDirectories])
            }
        }
    }

    /// The header fields: the caller states a file's type; a form sets its own.
    public var headers: [String: String]? {
        switch self {
        case .upload: ["Content-Type": "application/octet-stream"]
        case .multipart, .download: nil
        }
    }

    /// Treats any status other than 2xx as an error that carries the response.
    public var validationType: ValidationType { .successCodes }
}
