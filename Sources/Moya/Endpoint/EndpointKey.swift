import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The parts of an endpoint that determine the request.
///
/// Making a key runs the parameter encoding and the `Encodable` of the endpoint's task. Comparing and hashing a key
/// runs no user code, so it is allowed under a lock.
struct EndpointKey: Hashable, Sendable {
    /// The parts of a task that are not in the request built from it.
    private enum Attachment: Hashable {
        case none
        case download
        case file(URL)
        case form([Part])
        case stream(ObjectIdentifier)
    }

    /// A part of a form, with its texts as bytes: equal strings may have different ones.
    private struct Part: Hashable {
        let source: Source
        let name: [UInt8]
        let fileName: [UInt8]?
        let mimeType: [UInt8]?

        /// The source of the bytes of a part, with the identity of its stream.
        enum Source: Hashable {
            case data(Data)
            case file(URL)
            case stream(ObjectIdentifier, length: UInt64)
        }

        init(_ part: MultipartFormData) {
            source =
                switch part.provider {
                case .data(let data): .data(data)
                case .file(let file): .file(file)
                case .stream(let stream, let length): .stream(ObjectIdentifier(stream), length: length)
                }
            name = Array(part.name.utf8)
            fileName = part.fileName.map { Array($0.utf8) }
            mimeType = part.mimeType.map { Array($0.utf8) }
        }
    }

    /// `URLRequest ==` compares little more than the URL on Linux.
    private struct Parts: Hashable {
        let url: URL?
        let method: String?
        /// The values by name, as bytes: equal strings may have different ones.
        let headers: [String: [UInt8]]
        let body: Data?
        let cachePolicy: URLRequest.CachePolicy
    }

    /// The identity of an endpoint that cannot be sent.
    private enum Message: Hashable {
        case parts(Parts)
        case unsendable(url: String)
    }

    private let attachment: Attachment
    private let message: Message

    /// Makes the key of an endpoint, which has to outlive the key if it sends a stream.
    init(_ endpoint: Endpoint) {
        let request = try? endpoint.urlRequest()
        // An encoding may make a new stream each time.
        let hasStream = request?.httpBodyStream != nil
        attachment = hasStream ? .stream(ObjectIdentifier(endpoint)) : Self.attachment(of: endpoint.task)
        guard let request else {
            message = .unsendable(url: endpoint.url)
            return
        }
        let isOfApp =
            switch endpoint.task {
            case .requestData, .requestCompositeData: true
            default: false
            }
        let body = request.httpBody.map {
            // An app's own bytes are as it wrote them.
            isOfApp ? $0 : Self.canonical($0, type: request.value(forHTTPHeaderField: "Content-Type"))
        }
        message = .parts(
            Parts(
                url: request.url, method: request.httpMethod,
                headers: (request.allHTTPHeaderFields ?? [:]).mapValues { Array($0.utf8) }, body: body,
                cachePolicy: request.cachePolicy))
    }

    private static func attachment(of task: RequestTask) -> Attachment {
        switch task {
        case .uploadFile(let file): .file(file)
        case .downloadDestination, .downloadParameters: .download
        case .uploadMultipart(let parts), .uploadCompositeMultipart(let parts, _): .form(parts.map(Part.init))
        default: task.stream.map { .stream($0.id) } ?? .none
        }
    }

    /// JSON with sorted keys, since a dictionary is written in the order of its storage.
    private static func canonical(_ body: Data, type: String?) -> Data {
        guard let type, type.contains("json"),
            let value = try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)
        else { return body }
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed]
        return (try? JSONSerialization.data(withJSONObject: value, options: options)) ?? body
    }
}
