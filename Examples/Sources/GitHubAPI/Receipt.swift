/// A server's report of the received request, as from httpbin.
public struct Receipt: Decodable, Sendable {
    /// The URL that was called.
    public let url: String
    /// The length of the body in bytes, in decimal; `nil` if it was sent in chunks.
    public var contentLength: String? { headers["Content-Length"] }
    /// The type of the body, without parameters.
    public var contentType: String? {
        headers["Content-Type"]?.split(separator: ";").first.map(String.init)
    }
    /// The names of a form's text fields, sorted.
    public var fieldNames: [String] { form.keys.sorted() }
    /// The names of a form's files, sorted.
    public var fileNames: [String] { files.keys.sorted() }

    private let headers: [String: String]
    private let form: [String: String]
    private let files: [String: String]
}
