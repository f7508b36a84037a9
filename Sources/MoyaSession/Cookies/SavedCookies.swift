import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The `Secure` cookies of an earlier process, which Foundation on Linux reads from its file without this attribute: it
/// writes a Boolean, and does not read one.
///
/// Storing each of them again would write the whole file as often.
final class SavedCookies: Sendable {
    private let path: String
    /// The cookies as they were set, by what the store knows of them.
    private let cookies: Lock<[Entry: HTTPCookie]>

    /// Reads the file of a store; `nil` if no cookie in it has lost the attribute.
    init?(of storage: HTTPCookieStorage) {
        guard let path = OwnerOnlyFolder.file(of: storage), let stored = storage.cookies, !stored.isEmpty,
            let file = Self.contents(of: path)
        else { return nil }
        let secure = Set(file.cookies.values.filter { $0["Secure"] as? Bool == true }.compactMap(Entry.init))
        var cookies: [Entry: HTTPCookie] = [:]
        for cookie in stored where !cookie.isSecure && secure.contains(Entry(cookie)) {
            var properties = cookie.properties ?? [:]
            properties[.secure] = "TRUE"
            cookies[Entry(cookie)] = HTTPCookie(properties: properties)
        }
        guard !cookies.isEmpty else { return nil }
        self.path = path
        self.cookies = Lock(cookies)
    }

    /// Returns cookies of the store, with the attribute for those that have lost it.
    func restoring(_ stored: [HTTPCookie]) -> [HTTPCookie] {
        let cookies = cookies.withLock { $0 }
        guard !cookies.isEmpty else { return stored }
        return stored.map { $0.isSecure ? $0 : cookies[Entry($0)] ?? $0 }
    }

    /// Forgets a cookie that was replaced or removed.
    func forget(_ cookie: HTTPCookie) {
        let old = cookies.withLock { $0.removeValue(forKey: Entry(cookie)) }
        withExtendedLifetime(old) {}
    }

    /// Writes the attribute into the file, which Foundation has written without it.
    func repairFile() {
        let known = cookies.withLock { $0 }
        guard !known.isEmpty, var file = Self.contents(of: path) else { return }
        for (key, cookie) in file.cookies where cookie["Secure"] as? Bool == false {
            if let entry = Entry(cookie), known[entry] != nil { file.cookies[key]?["Secure"] = true }
        }
        let url = URL(fileURLWithPath: path)
        guard let folder = try? Folder(at: url.deletingLastPathComponent().path),
            let data = try? PropertyListSerialization.data(
                fromPropertyList: file.cookies, format: file.format, options: 0)
        else { return }
        // Without space on the disk, the file stays as it is.
        try? folder.replace(url.lastPathComponent, with: data)
    }

    private static func contents(
        of path: String
    ) -> (cookies: [String: [String: Any]], format: PropertyListSerialization.PropertyListFormat)? {
        var format = PropertyListSerialization.PropertyListFormat.xml
        guard let data = FileManager.default.contents(atPath: path),
            let list = try? PropertyListSerialization.propertyList(from: data, options: [], format: &format),
            let cookies = list as? [String: [String: Any]]
        else { return nil }
        return (cookies, format)
    }

    /// The identity of a cookie in the store and in its file.
    private struct Entry: Hashable {
        let name: String
        let domain: String
        let path: String
        let value: String

        init(_ cookie: HTTPCookie) {
            (name, domain, path, value) = (cookie.name, cookie.domain, cookie.path, cookie.value)
        }

        init?(_ cookie: [String: Any]) {
            guard let name = cookie["Name"] as? String, let domain = cookie["Domain"] as? String,
                let path = cookie["Path"] as? String, let value = cookie["Value"] as? String
            else { return nil }
            (self.name, self.domain, self.path, self.value) = (name, domain, path, value)
        }
    }
}
