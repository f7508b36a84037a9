import Foundation
import MoyaTransport

/// A response as an ``HTTPCache`` stores it; never changed, only replaced.
///
/// Times are seconds since 1970.
final class CachedResponse: Sendable {
    /// Random number that names the response in its store.
    let id: UInt64
    let url: String
    let status: Int
    /// The fields of the response, without those that are not stored and without `Age`.
    let fields: [HTTPField]
    /// The time of the request.
    let requested: Double
    /// The time of arrival.
    let received: Double
    /// The values of the request's fields that the response varies by, sorted by name.
    let variants: [CacheVariant]
    let credential: CacheCredential
    /// The part of the resource that the body is; `nil` for all of it.
    let part: ContentRange?
    let body: CachedBody
    let freshness: CacheFreshness

    init(
        id: UInt64 = .random(in: 1 ... .max), url: String, status: Int, fields: [HTTPField], requested: Double,
        received: Double, variants: [CacheVariant] = [], credential: CacheCredential = CacheCredential(),
        part: ContentRange? = nil, body: CachedBody
    ) {
        self.id = id
        self.url = url
        self.status = status
        self.fields = fields.filter { !ASCII.equalIgnoringCase($0.name, "age") }
        self.requested = requested
        self.received = received
        self.variants = variants
        self.credential = credential
        self.part = part
        self.body = body
        freshness = CacheFreshness(status: status, fields: fields, requested: requested, received: received)
    }

    /// The same response with the age that another was stored with.
    private init(_ other: CachedResponse, id: UInt64, freshness: CacheFreshness, body: CachedBody) {
        self.id = id
        url = other.url
        status = other.status
        fields = other.fields
        requested = other.requested
        received = other.received
        variants = other.variants
        credential = other.credential
        part = other.part
        self.body = body
        self.freshness = freshness
    }

    /// The response as it is read from a file, with the age on arrival that was written there.
    func restored(initialAge: Double) -> CachedResponse {
        var freshness = freshness
        freshness.initialAge = initialAge
        return CachedResponse(self, id: id, freshness: freshness, body: body)
    }

    /// `true` if both answer the same requests.
    func isSameVariant(as other: CachedResponse) -> Bool {
        credential == other.credential && variants == other.variants
    }

    /// The entity tag, where it is a strong one (RFC 9110 section 8.8.1).
    var strongTag: String? {
        fields.values(for: "etag").first.flatMap { $0.hasPrefix("\"") && $0.utf8.count > 1 ? $0 : nil }
    }

    /// `true` if the body is another than the representation whose bytes ranges count.
    var isCoded: Bool { fields.contains("content-encoding") }

    /// The memory that the response takes, about.
    var memorySize: Int {
        var size = 512 + url.utf8.count
        for field in fields { size += 64 + field.name.utf8.count + field.value.utf8.count }
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
}

/// A field of a request that a response varies by, with its value as it is compared.
struct CacheVariant: Sendable, Hashable {
    /// Name in lower case.
    let name: String
    /// Value with no white space around its members; that of a secret is a fingerprint.
    let value: String
}

/// Fingerprints of the credentials of a request, which say nothing of them.
struct CacheCredential: Sendable, Hashable {
    /// Of `Authorization`, and of every other field that holds a secret.
    var authorization: String?
    /// Of `Cookie`.
    var cookie: String?

    /// `true` if a request with this credential may have a response that was given for another.
    ///
    /// A private cache need not check, by the letter; but a program may log one user out and another one in. A response to
    /// a request without cookies is the same for all of them.
    func mayUse(_ stored: CacheCredential) -> Bool {
        authorization == stored.authorization && (stored.cookie == nil || stored.cookie == cookie)
    }
}
