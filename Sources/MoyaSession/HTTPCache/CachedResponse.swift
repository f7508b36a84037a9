import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A response stored in an ``HTTPCache``; immutable.
///
/// Times are seconds since 1970.
final class CachedResponse: Sendable {
    /// The random identifier of the response in its store.
    let id: UInt64
    let url: String
    /// The key: the URL, without its query if a part of the query is ignored.
    let key: String
    /// The ignored part of the query; `nil` if the whole query counts.
    let noVarySearch: NoVarySearch?
    /// The part of the URL that counts, for comparisons; `nil` if all of it counts.
    private let form: [UInt8]?
    let status: Int
    /// The fields of the response, without unstored fields and `Age`.
    let fields: [HTTPField]
    /// The time of the request.
    let requested: Double
    /// The time of arrival.
    let received: Double
    /// The values of the request's fields in `Vary`, sorted by name.
    let variants: [CacheVariant]
    let credential: CacheCredential
    /// The part of the resource in the body; `nil` for all of it.
    let part: ContentRange?
    let body: CachedBody
    let freshness: CacheFreshness
    /// The response as modified by an app's handler, or as stored in a `URLCache`, with the app's own user information.
    let handled: CachedURLResponse?
    /// `true` for a stored response with newer fields, which a 304 or a HEAD has confirmed, or with further bytes: it uses
    /// the file of the stored body.
    let isUpdate: Bool

    /// - Parameter initialAge: The age on arrival, if already known.
    init(
        id: UInt64 = .random(in: 1 ... .max), url: String, status: Int, fields: [HTTPField], requested: Double,
        received: Double, variants: [CacheVariant] = [], credential: CacheCredential = CacheCredential(),
        part: ContentRange? = nil, body: CachedBody, initialAge: Double? = nil, handled: CachedURLResponse? = nil,
        isUpdate: Bool = false
    ) {
        self.id = id
        self.isUpdate = isUpdate
        self.url = url
        noVarySearch = NoVarySearch(fields)
        form = noVarySearch?.form(of: url)
        key = noVarySearch == nil ? url : String(NoVarySearch.path(of: url))
        self.status = status
        self.fields = fields.filter { !ASCII.equalIgnoringCase($0.name, "age") }
        self.requested = requested
        self.received = received
        self.variants = variants
        self.credential = credential
        self.part = part
        self.body = body
        self.handled = handled
        var freshness = CacheFreshness(status: status, fields: fields, requested: requested, received: received)
        if let initialAge { freshness.initialAge = initialAge }
        self.freshness = freshness
    }

    /// `true` if both responses answer the same requests.
    func isSameVariant(as other: CachedResponse) -> Bool {
        credential == other.credential && variants == other.variants
            && (url == other.url || form != nil && form == other.form && noVarySearch == other.noVarySearch)
    }

    /// `true` if the response answers a URL.
    func answers(_ url: inout ComparedURL) -> Bool {
        guard self.url != url.text else { return true }
        guard let noVarySearch else { return false }
        return form == url.form(by: noVarySearch)
    }

    /// The entity tag, if it is strong.
    var strongTag: String? { fields.values(for: "etag").first.flatMap { EntityTag.isStrong($0) ? $0 : nil } }

    /// `true` if the body is not the representation whose byte ranges count.
    var isCoded: Bool { fields.contains("content-encoding") }

    /// `true` if an app's handler allows no file for the response.
    var isOnlyForMemory: Bool { handled?.storagePolicy == .allowedInMemoryOnly }

    /// The approximate memory used by the response.
    var memorySize: Int {
        var size = 512 + url.utf8.count + (form?.count ?? 0)
        for field in fields { size += 64 + field.name.utf8.count + field.value.utf8.count }
        for variant in variants { size += 64 + variant.name.utf8.count + variant.value.utf8.count }
        if case .memory(let data) = body { size += data.count }
        return size
    }
}

/// The body of a stored response.
enum CachedBody: Sendable {
    case memory(Data)
    case file(CachedBodyFile)

    /// The number of bytes.
    var count: Int64 {
        switch self {
        case .memory(let data): Int64(data.count)
        case .file(let file): file.length
        }
    }

    /// Copies bytes to a writer; `false` if they cannot be read or written.
    func copy(_ bytes: Range<Int64>, to writer: any CachedBodyWriter) -> Bool {
        switch self {
        case .memory(let data):
            return data.withUnsafeBytes { all in
                writer.append(UnsafeRawBufferPointer(rebasing: all[Int(bytes.lowerBound)..<Int(bytes.upperBound)]))
            }
        case .file(let file):
            guard !bytes.isEmpty else { return true }
            guard let reader = try? file.reader(of: bytes) else { return false }
            var missing = bytes.length
            while missing > 0 {
                guard let piece = try? reader.next(), piece.withUnsafeBytes({ writer.append($0) }) else { return false }
                missing -= Int64(piece.count)
            }
            return true
        }
    }

    /// Removes the file of a body that is not stored.
    func discard() { if case .file(let file) = self { file.remove() } }
}

/// A stored body that is ready for delivery.
enum OpenedBody: Sendable {
    case memory(Data)
    case file(CachedBodyReader)
}

/// A request field in `Vary`, with its value in the form for comparisons.
struct CacheVariant: Sendable, Hashable {
    /// Name in lower case.
    let name: String
    /// The value without white space around its members; a fingerprint for a secret.
    let value: String
}

/// Fingerprints of the credentials of a request, which do not reveal them.
struct CacheCredential: Sendable, Hashable {
    /// The fingerprint of `Authorization`, and of every other field with a secret.
    var authorization: String?
    /// The fingerprint of `Cookie`.
    var cookie: String?

    /// `true` if a request with this credential may use a response to a request with another one.
    ///
    /// RFC 9111 does not require this of a private cache, but a program may log one user out and another one in. A
    /// response to a request without cookies is the same for all users.
    func mayUse(_ stored: CacheCredential) -> Bool {
        authorization == stored.authorization && (stored.cookie == nil || stored.cookie == cookie)
    }
}
