import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Stores responses in a `URLCache`, where the app sees them: one complete response per URL, with its body in memory.
///
/// On Linux a `URLCache` distinguishes neither queries nor schemes nor methods: a found response is compared with its
/// URL, and of URLs that differ only in these parts, the last response is stored. A lookup without a result takes 13 us
/// or more there, so it is skipped if nothing can be found. Storing a response may write a file, for about a
/// millisecond.
final class URLCacheStore: CacheStore {
    private let cache: URLCache
    private let folder: OwnerOnlyFolder?
    private let index = URLCacheIndex()
    /// The times when origins were removed, in seconds since 1970.
    private let cleared = Lock<[String: Double]>([:])
    /// Fingerprints of credentials are valid during the process.
    let salt: [UInt8] = (0..<16).map { _ in .random(in: 0 ... .max) }

    private static let mostCleared = 256

    init(_ cache: URLCache) {
        self.cache = cache
        folder = OwnerOnlyFolder(of: cache)
        folder?.restrictFiles()
    }

    var mayBlock: Bool { true }
    var keepsParts: Bool { false }

    /// A response of more than a twentieth of the cache would evict too many others.
    var longestBody: Int64 { Int64(max(cache.memoryCapacity, cache.diskCapacity) / 20) }

    var size: Int64 { Int64(max(cache.currentMemoryUsage, cache.currentDiskUsage)) }

    func makeBody() -> any CachedBodyWriter { MemoryBodyWriter(limit: longestBody) }

    func responses(for url: String) -> [CachedResponse] {
        guard index.mayContain(url, in: cache), let key = URL(string: url),
            let cached = cache.cachedResponse(for: URLRequest(url: key)), cached.response.url == key,
            let response = CachedResponse(cached, at: url)
        else { return [] }
        let origin = String(CacheRules.origin(of: url))
        if let time = cleared.withLock({ $0[origin] }), response.received <= time { return [] }
        return [response]
    }

    func insert(_ response: CachedResponse) {
        guard response.part == nil, let url = URL(string: response.url), let cached = response.noted else { return }
        index.change(response.url, in: cache) { $0.storeCachedResponse(cached, for: URLRequest(url: url)) }
        folder?.restrictFiles()
    }

    func remove(_ response: CachedResponse) { removeAll(for: response.url) }

    func removeAll(for url: String) {
        guard index.mayContain(url, in: cache), let key = URL(string: url) else { return }
        index.change(nil, in: cache) { $0.removeCachedResponse(for: URLRequest(url: key)) }
    }

    /// A `URLCache` cannot list its responses: earlier ones of the origin are ignored from now on.
    func removeAll(ofOrigin origin: String) {
        let hasRoom = cleared.withLock { cleared in
            guard cleared.count < Self.mostCleared || cleared[origin] != nil else { return false }
            cleared[origin] = Date().timeIntervalSince1970
            return true
        }
        if !hasRoom { removeAll() }
    }

    func removeAll() {
        cache.removeAllCachedResponses()
        cleared.withLock { $0 = [:] }
    }
}

extension CachedResponse {
    /// The keys of the user information beside a response in a `URLCache`.
    private enum Note {
        static let requested = "MoyaRequested"
        static let received = "MoyaReceived"
        static let age = "MoyaAge"
        static let variants = "MoyaVariants"
        static let authorization = "MoyaCredential"
        static let cookie = "MoyaCookie"
    }

    /// The time of arrival of a response that states none, which makes it stale.
    private static let longAgo = -1e15

    /// Reads a response from a `URLCache`; `nil` if it is not an HTTP response.
    ///
    /// A response stored by other code has no user information of this store: it counts as arrived when its server
    /// generated it. The fields of its request are unknown: if it has `Vary`, no request matches it, and unless it is
    /// `public`, it may be for a credential, which no request has.
    convenience init?(_ cached: CachedURLResponse, at url: String) {
        guard let response = cached.response as? HTTPURLResponse else { return nil }
        let fields = response.headers.map { HTTPField(name: $0.name, value: $0.value) }
        let notes = cached.userInfo ?? [:]
        func number(_ name: String) -> Double? { (notes[name] as? Double).flatMap { $0.isFinite ? $0 : nil } }
        let made = fields.values(for: "date").first.flatMap { HTTPDate.date(from: $0) }?.timeIntervalSince1970
        let received = number(Note.received) ?? made ?? Self.longAgo
        let values = notes[Note.variants] as? [String: String] ?? [:]
        let variants = CacheRules.varyingNames(of: fields).map { CacheVariant(name: $0, value: values[$0] ?? "?") }
        let age = number(Note.age)
        let isOfStore = number(Note.requested) != nil
        let isForAll = isOfStore || CacheControl(fields.values(for: "cache-control")).isPublic
        self.init(
            url: url, status: response.statusCode, fields: fields, requested: number(Note.requested) ?? received,
            received: received, variants: variants,
            credential: CacheCredential(
                authorization: isForAll ? notes[Note.authorization] as? String : "?",
                cookie: notes[Note.cookie] as? String),
            body: .memory(cached.data), initialAge: age, handled: cached)
    }

    /// The response for a `URLCache`, with the required data of its request, and with the result of a handler.
    fileprivate var noted: CachedURLResponse? {
        guard let plain = foundation else { return nil }
        var notes = handled?.userInfo ?? [:]
        notes[Note.requested] = requested
        notes[Note.received] = received
        notes[Note.age] = freshness.initialAge
        notes[Note.variants] = Dictionary(variants.map { ($0.name, $0.value) }) { $1 }
        notes[Note.authorization] = credential.authorization
        notes[Note.cookie] = credential.cookie
        return CachedURLResponse(
            response: plain.response, data: plain.data, userInfo: notes,
            storagePolicy: handled?.storagePolicy ?? .allowed)
    }
}
