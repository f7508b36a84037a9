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
    /// The path and not the open folder: a session keeps no descriptor for it.
    private let path: String
    /// The name of the only file; `nil` for the files of responses.
    private let name: String?

    private static let responseSuffix = ".storedcachedurlresponse"

    /// Restricts the folder of a store that saves its cookies in a file.
    init?(of storage: HTTPCookieStorage) {
        guard let file = Self.file(of: storage) else { return nil }
        path = (file as NSString).deletingLastPathComponent
        guard let folder = try? Folder(at: path) else { return nil }
        folder.restrict()
        name = URL(fileURLWithPath: file).lastPathComponent
    }

    /// Restricts the folder of a disk cache, which is made if it is missing, unless it has other files: these may be
    /// meant for others.
    init?(of cache: URLCache) {
        guard cache.diskCapacity > 0, let path = (Self.property("cacheDirectory", of: cache) as? URL)?.path else {
            return nil
        }
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard let folder = try? Folder(at: path) else { return nil }
        if let names = try? folder.names, names.allSatisfy({ $0.hasSuffix(Self.responseSuffix) }) { folder.restrict() }
        self.path = path
        name = nil
    }

    /// Restricts the files that Foundation has written.
    func restrictFiles() {
        guard let folder = try? Folder(at: path) else { return }
        for name in name.map({ [$0] }) ?? (try? folder.names)?.filter({ $0.hasSuffix(Self.responseSuffix) }) ?? [] {
            folder.restrictFile(name)
        }
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
