import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Folders that only their owner may read: those of disk caches, and on Linux those of Foundation's cookies and
/// responses.
///
/// Foundation rewrites these files each time, with 0666 minus the umask, so every user may be able to read them. Their
/// folder is therefore restricted to its owner (0700). On other platforms they are in the app's container.
enum OwnerOnlyFolder {
    /// Restricts the folder of a store that saves its cookies in a file.
    static func restrict(folderOf storage: HTTPCookieStorage) {
        #if !canImport(Darwin)
        guard let file = property("cookieFilePath", of: storage) as? String else { return }
        restrict((file as NSString).deletingLastPathComponent)
        #endif
    }

    /// Restricts the folder of a disk cache, which is made if it is missing, unless it has other files: these may be
    /// meant for others.
    static func restrict(folderOf cache: URLCache) {
        #if !canImport(Darwin)
        guard cache.diskCapacity > 0, let folder = property("cacheDirectory", of: cache) as? URL else { return }
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        if names.allSatisfy({ $0.hasSuffix(".storedcachedurlresponse") }) { restrict(folder.path) }
        #endif
    }

    #if !canImport(Darwin)
    /// A stored property that is set once; `nil` if this version of Foundation has no such property.
    private static func property(_ name: String, of object: AnyObject) -> Any? {
        Mirror(reflecting: object).children.first { $0.label == name }?.value
    }

    #endif

    /// Restricts a folder of this user; a shared one, such as that of temporary files, is unchanged.
    static func restrict(_ path: String) {
        let folder = open(path, O_RDONLY | O_DIRECTORY | (isOwnLink(path) ? 0 : O_NOFOLLOW) | O_CLOEXEC)
        guard folder >= 0 else { return }
        defer { close(folder) }
        var status = stat()
        guard fstat(folder, &status) == 0, status.st_uid == geteuid() else { return }
        guard status.st_mode & S_ISVTX == 0, status.st_mode & 0o077 != 0 else { return }
        fchmod(folder, status.st_mode & 0o700)
    }

    /// `true` if a link is this user's own; one of another user may point to any of this user's folders.
    private static func isOwnLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK && status.st_uid == geteuid()
    }
}
