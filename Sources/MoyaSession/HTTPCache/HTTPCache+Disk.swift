public import Foundation
import MoyaTransport

extension HTTPCache {
    /// Encrypts a cache's files with the app's own key.
    ///
    /// The closures are called on any thread, also on one that other transfers wait for. If ``open`` throws, the stored response counts as missing, and the error is
    /// reported like one of the folder.
    public struct Encryption: Sendable {
        /// Encrypts bytes.
        public var seal: @Sendable (Data) throws -> Data
        /// Decrypts bytes from ``seal``.
        public var open: @Sendable (Data) throws -> Data

        /// Makes an encryption from two closures, such as `AES.GCM.seal` and `AES.GCM.open` of CryptoKit.
        public init(
            seal: @escaping @Sendable (Data) throws -> Data, open: @escaping @Sendable (Data) throws -> Data
        ) {
            self.seal = seal
            self.open = open
        }
    }

    /// Makes a persistent cache in a folder.
    ///
    /// The folder and its files are readable only by their owner. A response is completely written before it gets its
    /// name: after a crash the last ones may be missing, but none is damaged. Several processes may use one folder; a
    /// process sees the responses of others at its next start. Files of another version are ignored; damaged ones are also
    /// reported. Damage after the first 64 KiB of a body is found during delivery: the response is then requested again
    /// for the rest of its body, and ends with an error if the server's body is another one by then.
    ///
    /// The responses that were used last are also in memory: up to 4 MiB of those with bodies of at most 64 KiB, and up to
    /// 4 MiB of longer bodies of at most 1 MiB.
    ///
    /// - Parameters:
    ///   - folder: A folder for the cache alone; created if it is missing. With a URL that is not a file URL, which is
    ///     reported, the cache is in memory.
    ///   - limit: The maximum number of bytes in the files that this process knows, 256 MiB by default; the least recently
    ///     used are removed first. One response may use a quarter of it. Each further process that uses the folder may
    ///     add as much.
    ///   - staleIfError: See ``memory(limit:staleIfError:)``.
    ///   - encryption: Encrypts the files; `nil` for unencrypted files.
    ///   - onFault: Called with the first error of the folder (full, read-only, a damaged file), on any thread. The
    ///     network answers calls whose stored responses cannot be read; unwritten responses stay in memory. A folder
    ///     that cannot be opened or listed, as without a free descriptor, is tried again by later uses, once a second at
    ///     most; if responses are removed or invalidated before that, all of its responses are removed.
    public static func disk(
        at folder: URL, limit: Int = 256 * 1024 * 1024, staleIfError: Duration? = nil, encryption: Encryption? = nil,
        onFault: @escaping @Sendable (any Error) -> Void = { _ in }
    ) -> HTTPCache {
        guard folder.isFileURL else {
            onFault(CocoaError(.fileWriteUnsupportedScheme, userInfo: [NSURLErrorKey: folder]))
            return memory(limit: min(limit, 32 * 1024 * 1024), staleIfError: staleIfError)
        }
        let store = DiskCacheStore(
            at: folder.path, limit: Int64(limit), encryption: encryption, reporter: onFault)
        return HTTPCache(store: store, staleIfError: staleIfError)
    }
}
