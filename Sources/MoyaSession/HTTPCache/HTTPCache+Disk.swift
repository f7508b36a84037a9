public import Foundation
import MoyaTransport

extension HTTPCache {
    /// Encrypts what a cache writes to disk, with the app's own key.
    ///
    /// The closures are called on any thread. An error of ``open`` makes a stored response a missing one.
    public struct Encryption: Sendable {
        /// Encrypts bytes.
        public var seal: @Sendable (Data) throws -> Data
        /// Decrypts bytes that ``seal`` gave.
        public var open: @Sendable (Data) throws -> Data

        /// Makes an encryption of two closures, such as `AES.GCM.seal` and `AES.GCM.open` of CryptoKit.
        public init(
            seal: @escaping @Sendable (Data) throws -> Data, open: @escaping @Sendable (Data) throws -> Data
        ) {
            self.seal = seal
            self.open = open
        }
    }

    /// Makes a cache in a folder, which stays after the process.
    ///
    /// The folder and its files are for their owner only. A response is written whole before it gets its name: after a
    /// crash the last ones may be missing, and none is wrong. Several processes may use one folder; what another has
    /// stored is seen at the next start. Of a file that is damaged, or of another version, nothing is used.
    ///
    /// - Parameters:
    ///   - folder: A folder for the cache alone; made where it is missing.
    ///   - limit: The most bytes of all files, 256 MiB by default; those used least recently go first. One response may
    ///     have a quarter of it.
    ///   - staleIfError: As for ``memory(limit:staleIfError:)``.
    ///   - encryption: Encrypts the files; `nil` for plain ones.
    ///   - onFault: Called with the first error of the folder (full, read-only), on any thread; the cache then keeps in
    ///     memory what it cannot write.
    public static func disk(
        at folder: URL, limit: Int = 256 * 1024 * 1024, staleIfError: Duration? = nil, encryption: Encryption? = nil,
        onFault: @escaping @Sendable (any Error) -> Void = { _ in }
    ) -> HTTPCache {
        let store = DiskCacheStore(
            at: folder.path, limit: Int64(limit), encryption: encryption, reporter: onFault)
        return HTTPCache(store: store, staleIfError: staleIfError)
    }
}
