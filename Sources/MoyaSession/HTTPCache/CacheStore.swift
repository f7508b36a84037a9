import Foundation

/// Keeps responses: in memory, or in a folder.
///
/// Every method may be called from any thread. None fails: a store that cannot keep a response forgets it.
protocol CacheStore: Sendable {
    /// The most bytes of a response that is stored.
    var longestBody: Int64 { get }

    /// Random bytes of this store, with which fingerprints are made.
    var salt: [UInt8] { get }

    /// The bytes that the stored responses take.
    var size: Int64 { get }

    /// The responses stored under a URL, the newest last.
    func responses(for url: String) -> [CachedResponse]

    /// Keeps a response, in place of one for the same requests.
    func insert(_ response: CachedResponse)

    /// Forgets a response.
    func remove(_ response: CachedResponse)

    /// Forgets what is stored under a URL.
    func removeAll(for url: String)

    /// Forgets what is stored under the URLs of an origin.
    func removeAll(ofOrigin origin: String)

    /// Forgets everything.
    func removeAll()

    /// Begins to write a body.
    func makeBody() -> any CachedBodyWriter
}

/// Writes the body of a response to a store; used by one exchange, which ends it with ``finish()`` or ``discard()``.
protocol CachedBodyWriter: AnyObject {
    /// Appends bytes.
    ///
    /// - Returns: `false` where the body cannot be stored, because it is too long or a file cannot be written.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool

    /// Ends the body; `nil` where it cannot be stored.
    func finish() -> CachedBody?

    /// Throws the bytes away.
    func discard()
}

/// Gathers a body in memory.
final class MemoryBodyWriter: CachedBodyWriter {
    private var data = Data()
    private let limit: Int64

    init(limit: Int64) { self.limit = limit }

    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard Int64(data.count) + Int64(bytes.count) <= limit else { return false }
        if let start = bytes.baseAddress { data.append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count) }
        return true
    }

    func finish() -> CachedBody? { .memory(data) }

    func discard() { data = Data() }
}
