import Foundation

/// Stores responses in memory or in a folder.
///
/// Every method may be called from any thread. No method fails: a store drops a response that it cannot store.
protocol CacheStore: AnyObject, Sendable {
    /// The maximum number of bytes in a stored response.
    var longestBody: Int64 { get }

    /// The store's random bytes for fingerprints.
    var salt: [UInt8] { get }

    /// The number of bytes used by the stored responses.
    var size: Int64 { get }

    /// `true` if a change may block, and must not be made on the transport's thread.
    var mayBlock: Bool { get }

    /// `true` if the store accepts parts of resources, and several responses per URL.
    var keepsParts: Bool { get }

    /// The responses stored under a key, which is a URL or its part before the query, the newest last.
    func responses(for url: String) -> [CachedResponse]

    /// Stores a response, replacing one for the same requests.
    func insert(_ response: CachedResponse)

    /// Removes a response.
    func remove(_ response: CachedResponse)

    /// Removes the responses of a key.
    func removeAll(for url: String)

    /// Removes the responses of an origin.
    func removeAll(ofOrigin origin: String)

    /// Removes all responses.
    func removeAll()

    /// Starts to write a body.
    func makeBody() -> any CachedBodyWriter

    /// `true` if the store's folder could not be opened or listed.
    var mayReopen: Bool { get }

    /// A store that replaces this one, whose folder could not be opened or listed; `nil` if there is none.
    func reopened() -> (any CacheStore)?
}

extension CacheStore {
    var mayBlock: Bool { false }
    var keepsParts: Bool { true }
    var mayReopen: Bool { false }
    func reopened() -> (any CacheStore)? { nil }
}

/// Writes the body of a response to a store; used by one exchange, which calls ``finish()`` or ``discard()`` last.
protocol CachedBodyWriter: AnyObject {
    /// Appends bytes.
    ///
    /// - Returns: `false` if the body cannot be stored, because it is too long or writing failed.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool

    /// Ends the body; `nil` if it cannot be stored.
    func finish() -> CachedBody?

    /// Discards the bytes.
    func discard()
}

/// Collects a body in memory.
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
