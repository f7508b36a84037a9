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
        /// The cookies that Foundation has read, until the list has been read as well.
        var unread: [Entry: HTTPCookie]?
        /// The cookies that have lost the attribute, as they were set, by what the store knows of them.
        var lost: [Entry: HTTPCookie] = [:]
        /// The list as this process knows it.
        var listed: Set<String> = []
        /// Lines that could not be appended to the list.
        var unsaved: [String] = []
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

    /// Makes the cookies of a store.
    ///
    /// - Parameters:
    ///   - stored: The cookies as Foundation has read them.
    ///   - path: The path of their file.
    init(_ stored: [HTTPCookie], at path: String) {
        self.path = path
        state = Lock(State(unread: Dictionary(stored.map { (Entry($0), $0) }) { $1 }))
        read()
    }

    /// Reads which cookies are `Secure`; until that succeeds, all that Foundation has read count as such.
    private func read() {
        guard let cookies = state.withLock({ $0.unread }), let list = try? Self.list(at: path),
            let secure = try? cookies.isEmpty ? [] : Self.secureEntries(of: path)
        else { return }
        let listed = Set(list)
        var (lost, stored) = ([Entry: HTTPCookie](), Set<String>())
        for (entry, cookie) in cookies {
            let fingerprint = entry.fingerprint
            if !cookie.isSecure {
                guard secure.contains(entry) || listed.contains(fingerprint) else { continue }
                lost[entry] = cookie.secured
            }
            stored.insert(fingerprint)
        }
        let unread = state.withLock { state in
            // The cookies that were not replaced meanwhile.
            guard let unread = state.unread.take() else { return nil as [Entry: HTTPCookie]? }
            state.lost = lost.filter { unread[$0.key] != nil }
            state.listed.formUnion(listed.union(stored))
            state.stored.formUnion(stored)
            return unread
        }
        if unread != nil { append(stored.subtracting(listed).sorted()) }
    }

    /// Returns cookies of the store, with the attribute for those that have lost it.
    func restoring(_ stored: [HTTPCookie]) -> [HTTPCookie] {
        var (lost, unread) = state.withLock { ($0.lost, $0.unread) }
        if unread != nil {
            read()
            (lost, unread) = state.withLock { ($0.lost, $0.unread) }
        }
        guard !lost.isEmpty || unread != nil else { return stored }
        return stored.map { cookie in
            guard !cookie.isSecure else { return cookie }
            let entry = Entry(cookie)
            return lost[entry] ?? (unread?[entry] == nil ? cookie : cookie.secured ?? cookie)
        }
    }

    /// Records that a cookie was replaced, set or removed.
    func record(_ new: HTTPCookie?, replacing old: HTTPCookie?) {
        let old = old.map(Entry.init)
        let removed = old?.fingerprint
        let saved = new.flatMap { $0.isSessionOnly ? nil : (fingerprint: Entry($0).fingerprint, isSecure: $0.isSecure) }
        let (forgotten, line) = state.withLock { state -> ([HTTPCookie?], String?) in
            let forgotten =
                old.map { [state.lost.removeValue(forKey: $0), state.unread?.removeValue(forKey: $0)] } ?? []
            if let removed { state.stored.remove(removed) }
            guard let saved else { return (forgotten, nil) }
            if saved.isSecure {
                state.stored.insert(saved.fingerprint)
                return (forgotten, state.listed.insert(saved.fingerprint).inserted ? saved.fingerprint : nil)
            }
            // The server has taken the attribute away.
            let isListed = state.listed.remove(saved.fingerprint) != nil || state.unread != nil
            return (forgotten, isListed ? Self.removal + saved.fingerprint : nil)
        }
        withExtendedLifetime(forgotten) {}
        append(line.map { [$0] } ?? [])
    }

    // MARK: Files

    private static let suffix = ".secure"

    /// The beginning of a line that removes a fingerprint.
    private static let removal = "-"
    /// The length from which the list is written anew with its later half and the cookies of the store, in bytes: 16,000
    /// fingerprints.
    private static let longestList = 1 << 20
    /// The number of lines that are kept for a later attempt to append them.
    private static let mostUnsaved = 1_000

    /// The content of a file; empty if there is none.
    private static func contents(of path: String, limit: Int) throws(RegularFile.Refusal) -> Data {
        do throws(RegularFile.Refusal) {
            let file = try RegularFile(at: path)
            guard file.isTrusted else { throw .unopened(EPERM) }
            return try file.contents(limit: limit)
        } catch {
            guard error == .unopened(ENOENT) else { throw error }
            return Data()
        }
    }

    /// The fingerprints in the list, in its order.
    private static func list(at path: String) throws(RegularFile.Refusal) -> [String] {
        let list = try contents(of: path + suffix, limit: 64 * longestList)
        var (fingerprints, positions) = ([String?](), [String: Int]())
        for line in String(decoding: list, as: UTF8.self).split(separator: "\n") {
            let fingerprint = line.hasPrefix(removal) ? String(line.dropFirst()) : String(line)
            if let position = positions.removeValue(forKey: fingerprint) { fingerprints[position] = nil }
            guard !line.hasPrefix(removal) else { continue }
            positions[fingerprint] = fingerprints.count
            fingerprints.append(fingerprint)
        }
        return fingerprints.compactMap(\.self)
    }

    /// Appends lines to the list, with those for which that has failed before.
    private func append(_ lines: [String]) {
        let unsaved = state.withLock { state in
            defer { state.unsaved = [] }
            return state.unsaved
        }
        let lines = unsaved + lines
        guard !lines.isEmpty, (try? save(lines)) == nil else { return }
        state.withLock { $0.unsaved = (lines + $0.unsaved).suffix(Self.mostUnsaved) }
    }

    /// Appends lines to the list, in one write: another process may append as well.
    ///
    /// - Throws: An error without space on the disk, or if the list is too long and cannot be read; it stays as it is.
    private func save(_ lines: [String]) throws {
        let url = URL(fileURLWithPath: path + Self.suffix)
        let folder = try Folder(at: url.deletingLastPathComponent().path)
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW
        do {
            let file = try RegularFile(at: url.lastPathComponent, in: folder, flags: flags)
            if file.length < Self.longestList {
                // The last line may be incomplete.
                let text = Data(lines.map { "\n" + $0 }.joined().utf8)
                return try text.withUnsafeBytes { try PrivateFile.append($0, to: file.descriptor) }
            }
        } catch let error as RegularFile.Refusal where !error.mayPass {}
        // It is too long, or no file.
        let stored = state.withLock { $0.stored }
        let list = try Self.list(at: path)
        let rest = list.enumerated().filter { $0.offset >= list.count / 2 || stored.contains($0.element) }
        let text = (rest.map(\.element) + lines).joined(separator: "\n")
        try folder.replace(url.lastPathComponent, with: Data(text.utf8))
    }

    /// The cookies that Foundation has saved with the attribute.
    private static func secureEntries(of path: String) throws(RegularFile.Refusal) -> Set<Entry> {
        let data = try contents(of: path, limit: .max)
        guard let list = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil),
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

extension HTTPCookie {
    /// The cookie with the attribute `Secure`.
    fileprivate var secured: HTTPCookie? {
        var properties = properties ?? [:]
        properties[.secure] = "TRUE"
        return HTTPCookie(properties: properties)
    }
}
