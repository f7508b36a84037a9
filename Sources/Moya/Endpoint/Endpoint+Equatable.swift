import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Endpoint: Equatable, Hashable {
    /// Whether the two send the same: URL, method, header fields, body, file or form.
    ///
    /// Samples and destinations do not count.
    public static func == (lhs: Endpoint, rhs: Endpoint) -> Bool {
        guard lhs !== rhs else { return true }
        guard lhs.task.sentParts == rhs.task.sentParts else { return false }
        switch (RequestParts(lhs), RequestParts(rhs)) {
        case (let one?, let other?): return one == other
        // Neither can be sent: what they were to be sent to tells them apart.
        case (nil, nil): return lhs.url == rhs.url
        default: return false
        }
    }

    /// Feeds what equality compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(task.sentParts)
        if let parts = RequestParts(self) { hasher.combine(parts) } else { hasher.combine(url) }
    }
}

/// The parts of a request that say what is sent.
///
/// `URLRequest ==` looks at little more than the URL on Linux.
private struct RequestParts: Hashable {
    let url: URL?
    let method: String?
    let headers: [String: String]?
    let body: Data?

    init?(_ endpoint: Endpoint) {
        guard let request = try? endpoint.urlRequest() else { return nil }
        url = request.url
        method = request.httpMethod
        headers = request.allHTTPHeaderFields
        body = request.httpBody.map { Self.canonical($0, type: request.value(forHTTPHeaderField: "Content-Type")) }
    }

    /// JSON with its keys in order, for they have none: a dictionary is written in the order of its storage.
    private static func canonical(_ body: Data, type: String?) -> Data {
        guard let type, type.contains("json"),
            let value = try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)
        else { return body }
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed]
        return (try? JSONSerialization.data(withJSONObject: value, options: options)) ?? body
    }
}

extension RequestTask {
    /// What a task sends beside the request that is built of it.
    fileprivate enum SentParts: Hashable {
        case none
        case file(URL)
        case form([MultipartFormData])
    }

    fileprivate var sentParts: SentParts {
        switch self {
        case .uploadFile(let file): .file(file)
        case .uploadMultipart(let parts), .uploadCompositeMultipart(let parts, _): .form(parts)
        default: .none
        }
    }
}
