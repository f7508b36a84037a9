import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The `Secure` cookies of a store that has a file, which Foundation on Linux reads without this attribute: it writes a
/// Boolean, and does not read one.
///
/// Any later change by anyone writes the file without the attribute. A second file therefore lists the fingerprints of
/// these cookies, which are known before that. Storing each of them again would write the whole file as often, and a
/// process that ends meanwhile would leave it without the attribute.
final class SavedCookies: Sendable {
    private struct State {
        /// The cookies that have lost the attribute, as they were set, by what the store knows of them.
        var lost: [Entry: HTTPCookie] = [:]
        var fingerprints: Set<String> = []
    }

    private let path: String
    private let state: Lock<State>

    /// The stores by the paths of their files; Foundation reads each once.
    private static let known = Lock<[String: SavedCookies]>([:])

    /// The cookies of a store; `nil` if it has no file.
    static func of(_ storage: HTTPCookieStorage) -> SavedCookies? {
        guard let path = OwnerOnlyFolder.file(of: storage) else { return nil }
        if let saved = known.withLock({ $0[path] }) { return saved }
        let saved = SavedCookies(storage.cookies ?? [], at: path)
        return known.withLock { known in
            if let other = known[path] { return other }
            known[path] = saved
            return saved
        }
    }

    private init(_ stored: [HTTPCookie], at path: String) {
        self.path = path
        let listed = Self.listed(for: path)
        let secure = stored.isEmpty ? [] : Self.secureEntries(of: path)
        var state = State()
        for cookie in stored {
            let entry = Entry(cookie)
            if !cookie.isSecure {
                guard secure.contains(entry) || listed.contains(entry.fingerprint) else { continue }
                var properties = cookie.properties ?? [:]
                properties[.secure] = "TRUE"
                state.lost[entry] = HTTPCookie(properties: properties)
            }
            state.fingerprints.insert(entry.fingerprint)
        }
        let fingerprints = state.fingerprints
        self.state = Lock(state)
        if fingerprints != listed { list(fingerprints) }
    }

    /// Returns cookies of the store, with the attribute for those that have lost it.
    func restoring(_ stored: [HTTPCookie]) -> [HTTPCookie] {
        let lost = state.withLock { $0.lost }
        guard !lost.isEmpty else { return stored }
        return stored.map { $0.isSecure ? $0 : lost[Entry($0)] ?? $0 }
    }

    /// Records that a cookie was replaced, set or removed.
    func record(_ new: HTTPCookie?, replacing old: HTTPCookie?) {
        let old = old.map(Entry.init)
        let added = new.flatMap { $0.isSecure && !$0.isSessionOnly ? Entry($0).fingerprint : nil }
        let removed = old?.fingerprint
        let (forgotten, changed) = state.withLock { state -> (HTTPCookie?, Set<String>?) in
            let before = state.fingerprints
            if let removed { state.fingerprints.remove(removed) }
            if let added { state.fingerprints.insert(added) }
            return (
                old.flatMap { state.lost.removeValue(forKey: $0) },
                state.fingerprints == before ? nil : state.fingerprints
            )
        }
        withExtendedLifetime(forgotten) {}
        if let changed { list(changed) }
    }

    // MARK: Files

    private static let suffix = ".secure"

    private static func listed(for path: String) -> Set<String> {
        let list = FileManager.default.contents(atPath: path + suffix) ?? Data()
        return Set(String(decoding: list, as: UTF8.self).split(separator: "\n").map(String.init))
    }

    private func list(_ fingerprints: Set<String>) {
        let url = URL(fileURLWithPath: path + Self.suffix)
        // Without space on the disk, the list stays as it is.
        let folder = try? Folder(at: url.deletingLastPathComponent().path)
        try? folder?.replace(url.lastPathComponent, with: Data(fingerprints.joined(separator: "\n").utf8))
    }

    /// The cookies that Foundation has saved with the attribute.
    private static func secureEntries(of path: String) -> Set<Entry> {
        guard let data = FileManager.default.contents(atPath: path),
            let list = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil),
            let cookies = list as? [String: [String: Any]]
        else { return [] }
        return Set(cookies.values.filter { $0["Secure"] as? Bool == true }.compactMap(Entry.init))
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

        /// The digest of the entry, which does not reveal its value.
        var fingerprint: String { SHA256.text(Array([name, domain, path, value].joined(separator: "\0").utf8)) }
    }
}
