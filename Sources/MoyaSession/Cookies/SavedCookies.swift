import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The cookies that Foundation on Linux has saved in a file, and read again without their `Secure`.
enum SavedCookies {
    /// The files that were read: what this process has stored since is right.
    private static let known = Lock<Set<String>>([])

    /// Stores the `Secure` cookies of a store's file again, with the attribute that Foundation lost when it read them.
    ///
    /// Foundation writes the attribute as a Boolean, and does not read it as one. The next change of the store would
    /// overwrite the file.
    static func restoreSecure(in storage: HTTPCookieStorage) {
        guard let path = OwnerOnlyFolder.file(of: storage), !known.withLock({ $0.contains(path) }) else { return }
        defer { known.withLock { _ = $0.insert(path) } }
        guard let cookies = storage.cookies, !cookies.isEmpty, let data = FileManager.default.contents(atPath: path),
            let entries = try? PropertyListDecoder().decode([String: Entry].self, from: data)
        else { return }
        let secure = Set(entries.values.filter { $0.isSecure == true })
        for cookie in cookies where !cookie.isSecure && secure.contains(Entry(cookie)) {
            var properties = cookie.properties ?? [:]
            properties[.secure] = "TRUE"
            if let restored = HTTPCookie(properties: properties) { storage.setCookie(restored) }
        }
    }

    /// A cookie in the file.
    private struct Entry: Decodable, Hashable {
        let name: String
        let domain: String
        let path: String
        let value: String
        let isSecure: Bool?

        enum CodingKeys: String, CodingKey {
            case name = "Name"
            case domain = "Domain"
            case path = "Path"
            case value = "Value"
            case isSecure = "Secure"
        }

        init(_ cookie: HTTPCookie) {
            (name, domain, path, value) = (cookie.name, cookie.domain, cookie.path, cookie.value)
            isSecure = true
        }
    }
}
