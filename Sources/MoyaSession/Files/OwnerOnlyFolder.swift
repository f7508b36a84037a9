import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The folders in which Foundation keeps cookies and responses on Linux.
///
/// Foundation writes these files anew each time, with what the umask leaves of 0666, so that every user may read them.
/// Their folder is taken from everybody but its owner instead (0700). Elsewhere they are in the app's container.
enum OwnerOnlyFolder {
    /// Restricts the folder of a store that keeps its cookies in a file.
    static func restrict(folderOf storage: HTTPCookieStorage) {
        #if !canImport(Darwin)
        guard let file = property("cookieFilePath", of: storage) as? String else { return }
        restrict((file as NSString).deletingLastPathComponent)
        #endif
    }

    /// Restricts the folder of a cache on disk that Foundation has chosen; one that the user has chosen is left alone.
    static func restrict(folderOf cache: URLCache) {
        #if !canImport(Darwin)
        guard cache.diskCapacity > 0, let folder = property("cacheDirectory", of: cache) as? URL,
            folder.pathComponents.contains("org.swift.foundation.URLCache")
        else { return }
        restrict(folder.path)
        #endif
    }

    #if !canImport(Darwin)
    /// A stored property that is set once; `nil` where another Foundation has none of the name.
    private static func property(_ name: String, of object: AnyObject) -> Any? {
        Mirror(reflecting: object).children.first { $0.label == name }?.value
    }

    private static func restrict(_ path: String) {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return }
        defer { close(folder) }
        var status = stat()
        guard fstat(folder, &status) == 0, status.st_uid == geteuid() else { return }
        // A folder for everybody's files, such as that of temporary ones, stays so.
        guard status.st_mode & S_ISVTX == 0, status.st_mode & 0o077 != 0 else { return }
        fchmod(folder, status.st_mode & 0o700)
    }
    #endif
}
