import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension RequestTask {
    /// `true` if the task sends a file, a form or a sequence; its progress is then that of the upload.
    var isUpload: Bool {
        switch self {
        case .uploadFile, .uploadMultipart, .uploadCompositeMultipart: true
        default: stream != nil
        }
    }

    /// `true` if the task writes the response to a file.
    var hasDestination: Bool {
        switch self {
        case .downloadDestination, .downloadParameters: true
        default: false
        }
    }

    /// Makes the session's request for the task.
    func request(
        _ urlRequest: URLRequest, in session: Session
    ) throws(MoyaError) -> Request {
        switch self {
        case .requestPlain, .requestData, .requestJSONEncodable, .requestCustomJSONEncodable, .requestParameters,
            .requestCompositeData, .requestCompositeParameters:
            if let stream { return session.upload(stream, with: urlRequest, interceptor: nil) }
            return session.request(urlRequest, interceptor: nil)
        case .uploadFile(let file):
            return session.upload(file, with: urlRequest, interceptor: nil, fileManager: .default)
        case .uploadMultipart(let parts), .uploadCompositeMultipart(let parts, _):
            return session.upload(
                multipartFormData: try Self.form(of: parts, method: urlRequest.httpMethod),
                with: urlRequest,
                usingThreshold: RequestMultipartFormData.encodingMemoryThreshold,
                interceptor: nil,
                fileManager: .default)
        case .downloadDestination(let destination), .downloadParameters(_, _, let destination):
            return session.download(urlRequest, interceptor: nil, to: destination)
        }
    }

    private static func form(
        of parts: [MultipartFormData], method: String?
    ) throws(MoyaError) -> RequestMultipartFormData {
        guard !parts.isEmpty else { throw .underlying(TargetError.emptyMultipart, nil) }
        let method = HTTPMethod(rawValue: method ?? "GET")
        guard method.supportsMultipart else { throw .underlying(TargetError.multipartMethod(method), nil) }
        let form = RequestMultipartFormData()
        form.applyMoyaMultipartFormData(parts)
        return form
    }
}

extension RequestMultipartFormData {
    /// Appends the parts of a target.
    func applyMoyaMultipartFormData(_ parts: [MultipartFormData]) {
        for part in parts {
            switch part.provider {
            case .data(let data):
                append(data, withName: part.name, fileName: part.fileName, mimeType: part.mimeType)
            case .file(let url):
                if let fileName = part.fileName, let mimeType = part.mimeType {
                    append(url, withName: part.name, fileName: fileName, mimeType: mimeType)
                } else {
                    append(url, withName: part.name)
                }
            case .stream(let stream, let length):
                append(
                    stream, withLength: length, name: part.name, fileName: part.fileName ?? "",
                    mimeType: part.mimeType ?? "")
            }
        }
    }
}
