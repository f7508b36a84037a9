public import Foundation
public import Moya

/// Files on their way to or from a server that reports what it received, as httpbin does.
public enum Transfer: Sendable {
    /// A file as the whole body of a POST.
    case upload(file: URL, path: String)
    /// A form with a file in it, and text fields beside it.
    case multipart(file: URL, fields: [String: String], path: String)
    /// A file that is fetched, with its query, and replaces the one at the destination.
    case download(path: String, query: [String: String], destination: URL)
}

extension Transfer: TargetType {
    /// The beginning of every path; ``MoyaProvider/at(_:stubbed:plugins:)`` puts the real server here.
    public var baseURL: URL { GitHub.server }

    /// The path that the caller chose.
    public var path: String {
        switch self {
        case .upload(_, let path), .multipart(_, _, let path), .download(let path, _, _): path
        }
    }

    /// A request with a body is a POST.
    public var method: Moya.Method {
        switch self {
        case .upload, .multipart: .post
        case .download: .get
        }
    }

    /// A file as it is, a form, or a file to be written.
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

    /// The caller states a file's type; a form's comes with the form.
    public var headers: [String: String]? {
        switch self {
        case .upload: ["Content-Type": "application/octet-stream"]
        case .multipart, .download: nil
        }
    }

    /// Any status but 2xx is an error, which carries the response.
    public var validationType: ValidationType { .successCodes }
}
