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
///
/// Several processes add to the list. A fingerprint stays when its cookie goes, since another process may still hold and
/// save the cookie: it contains the value, and so concerns no other cookie.
final class SavedCookies: Sendable {
    private struct State {
        /// The cookies that have lost the attribute, as they were set, by what the store knows of them.
        var lost: [Entry: HTTPCookie] = [:]
        /// The list as this process knows it.
        var listed: Set<String>
        /// The fingerprints of the cookies in the store.
        var stored: Set<String> = []
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
        var state = State(listed: Set(Self.list(at: path)))
        let secure = stored.isEmpty ? [] : Self.secureEntries(of: path)
        var added: [String] = []
        for cookie in stored {
            let entry = Entry(cookie)
            if !cookie.isSecure {
                guard secure.contains(entry) || state.listed.contains(entry.fingerprint) else { continue }
                var properties = cookie.properties ?? [:]
                properties[.secure] = "TRUE"
                state.lost[entry] = HTTPCookie(properties: properties)
            }
            let fingerprint = entry.fingerprint
            state.stored.insert(fingerprint)
            if state.listed.insert(fingerprint).inserted { added.append(fingerprint) }
        }
        self.state = Lock(state)
        append(added)
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
        let removed = old?.fingerprint
        let saved = new.flatMap { $0.isSessionOnly ? nil : (fingerprint: Entry($0).fingerprint, isSecure: $0.isSecure) }
        let (forgotten, line) = state.withLock { state -> (HTTPCookie?, String?) in
            let forgotten = old.flatMap { state.lost.removeValue(forKey: $0) }
            if let removed { state.stored.remove(removed) }
            guard let saved else { return (forgotten, nil) }
            if saved.isSecure {
                state.stored.insert(saved.fingerprint)
                return (forgotten, state.listed.insert(saved.fingerprint).inserted ? saved.fingerprint : nil)
            }
            // The server has taken the attribute away.
            return (forgotten, state.listed.remove(saved.fingerprint).map { Self.removal + $0 })
        }
        withExtendedLifetime(forgotten) {}
        if let line { append([line]) }
    }

    // MARK: Files

    private static let suffix = ".secure"

    /// The beginning of a line that removes a fingerprint.
    private static let removal = "-"
    /// The length from which the list is written anew with its later half and the cookies of the store, in bytes: 16,000
    /// fingerprints.
    private static let longestList = 1 << 20

    /// The fingerprints in the list, in its order.
    private static func list(at path: String) -> [String] {
        let list = try? RegularFile(at: path + suffix).contents(limit: 64 * longestList)
        var (fingerprints, positions) = ([String?](), [String: Int]())
        for line in String(decoding: list ?? Data(), as: UTF8.self).split(separator: "\n") {
            let fingerprint = line.hasPrefix(removal) ? String(line.dropFirst()) : String(line)
            if let position = positions.removeValue(forKey: fingerprint) { fingerprints[position] = nil }
            guard !line.hasPrefix(removal) else { continue }
            positions[fingerprint] = fingerprints.count
            fingerprints.append(fingerprint)
        }
        return fingerprints.compactMap(\.self)
    }

    /// Appends lines to the list, in one write: another process may append as well.
    ///
    /// Without space on the disk, the list stays as it is.
    private func append(_ lines: [String]) {
        let url = URL(fileURLWithPath: path + Self.suffix)
        guard !lines.isEmpty, let folder = try? Folder(at: url.deletingLastPathComponent().path) else { return }
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW
        if let file = try? RegularFile(at: url.lastPathComponent, in: folder, flags: flags),
            file.length < Self.longestList
        {
            // The last line may be incomplete.
            let text = Data(lines.map { "\n" + $0 }.joined().utf8)
            text.withUnsafeBytes { try? PrivateFile.append($0, to: file.descriptor) }
            return
        }
        // It is too long, or no file.
        let stored = state.withLock { $0.stored }
        let list = Self.list(at: path)
        let rest = list.enumerated().filter { $0.offset >= list.count / 2 || stored.contains($0.element) }
        let text = (rest.map(\.element) + lines).joined(separator: "\n")
        try? folder.replace(url.lastPathComponent, with: Data(text.utf8))
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
