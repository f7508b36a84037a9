import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The folder in which Foundation saves its cookies or responses on Linux.
///
/// Foundation rewrites these files each time, with 0666 minus the umask, so every user may be able to read them. They
/// are therefore restricted to their owner (0600) after each change, and so is their folder (0700). On other platforms
/// they are in the app's container.
struct OwnerOnlyFolder: Sendable {
    /// The path, since a session keeps no descriptor for the folder.
    private let path: String
    /// The name of the only file; `nil` for the files of responses.
    private let name: String?

    private static let responseSuffix = ".storedcachedurlresponse"

    /// The folder of a store that saves its cookies in a file; `nil` if it has none.
    init?(of storage: HTTPCookieStorage) {
        guard let file = Self.file(of: storage) else { return nil }
        path = (file as NSString).deletingLastPathComponent
        name = URL(fileURLWithPath: file).lastPathComponent
    }

    /// The folder of a disk cache, which is made if it is missing; `nil` if the cache has none.
    init?(of cache: URLCache) {
        guard cache.diskCapacity > 0, let path = (Self.property("cacheDirectory", of: cache) as? URL)?.path else {
            return nil
        }
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        self.path = path
        name = nil
    }

    /// Restricts the files that Foundation has written, and the folder, unless a cache's has other files: these may be
    /// meant for others.
    ///
    /// It does nothing while the folder cannot be opened or listed; the next change restricts them.
    func restrictFiles() {
        guard let folder = try? Folder(at: path) else { return }
        if let name {
            folder.restrict()
            return folder.restrictFile(name)
        }
        guard let names = try? folder.names else { return }
        let responses = names.filter { $0.hasSuffix(Self.responseSuffix) }
        if responses.count == names.count { folder.restrict() }
        responses.forEach(folder.restrictFile)
    }

    /// The path of the file in which a store saves its cookies.
    static func file(of storage: HTTPCookieStorage) -> String? { property("cookieFilePath", of: storage) as? String }

    /// A stored property that is set once; `nil` on other platforms, or if this version of Foundation has no such
    /// property.
    private static func property(_ name: String, of object: AnyObject) -> Any? {
        #if canImport(Darwin)
        nil
        #else
        Mirror(reflecting: object).children.first { $0.label == name }?.value
        #endif
    }
}
