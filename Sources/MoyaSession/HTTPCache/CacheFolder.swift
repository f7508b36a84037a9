import Foundation
import MoyaTransport

/// The folder of a disk cache, which only its owner may read.
///
/// It contains a file for each response, `ORIGIN-URL-ID-BODY.response`, named by hashes and by the number of its body.
/// The body is in the file `BODY.body`, or for the number 0 in the response file itself. A file gets its name once it
/// is complete, and its bytes never change: so a crash at any moment, or another process, leaves complete files and some
/// that a later start removes. Only a body may be continued, for another response file. An incomplete file is locked, as
/// long as its process lives.
final class CacheFolder: Sendable {
    /// The path, for messages: it may lead elsewhere later.
    private let path: String
    let files: Folder
    let block: CacheBlock
    /// The bodies that were read last.
    let recentBodies: RecentBodies
    /// The bodies whose bytes the disk did not deliver; they stay until a newer response replaces theirs.
    let unreadableBodies = Lock<Set<UInt64>>([])
    /// Random bytes at the start of the hashes of names and credentials, constant during the lifetime of the folder.
    let salt: [UInt8]
    private let reporter: @Sendable (any Error) -> Void
    private let hasReported = Lock(false)

    /// The seconds after which an unreferenced file counts as left by a crash, not as being written.
    private static let longestWriting: Double = 3600

    /// The length, a tebibyte, beyond which no file is a cache's, whatever its limit.
    private static let longestFile: Int64 = 1 << 40

    /// - Parameter memoryLimit: The maximum number of bytes of the bodies that were read last.
    init(
        path: String, memoryLimit: Int, encryption: HTTPCache.Encryption?,
        reporter: @escaping @Sendable (any Error) -> Void
    ) {
        self.path = path
        recentBodies = RecentBodies(limit: memoryLimit)
        block = CacheBlock(encryption: encryption)
        self.reporter = reporter
        var files = Folder.unopened
        var salt: [UInt8]?
        var failure: (any Error)?
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let folder = try Folder(at: path)
            folder.restrict()
            salt = try Self.salt(in: folder)
            // Only now: what is written with a salt that is not stored would never be found again.
            files = folder
        } catch {
            failure = error
        }
        self.files = files
        self.salt = salt ?? Self.randomBytes()
        if let failure { report(failure) }
    }

    /// Reports the first fault.
    func report(_ fault: any Error) {
        if !hasReported.exchange(true) { reporter(fault) }
    }

    // MARK: Names

    static func hex(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }

    static func bodyName(_ id: UInt64) -> String { hex(id) + ".body" }

    /// The number in the name of a body; `nil` for that of another file.
    private static func bodyNumber(_ name: String) -> UInt64? {
        name.hasSuffix(".body") ? UInt64(name.dropLast(5), radix: 16) : nil
    }

    func hash(_ text: some StringProtocol) -> UInt64 {
        var hash = salt.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        for byte in text.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
            hash ^= hash >> 32
        }
        return hash
    }

    private static let saltName = "salt"

    private static func randomBytes() -> [UInt8] { (0..<32).map { _ in .random(in: 0 ... .max) } }

    /// The folder's random bytes, made by the first process that opens it.
    private static func salt(in folder: Folder) throws(SystemError) -> [UInt8] {
        let name = saltName
        for attempt in 0..<3 {
            do throws(RegularFile.Refusal) {
                let file = try RegularFile(at: name, in: folder, flags: O_NOFOLLOW)
                let data = file.isOwn ? try file.contents(limit: 32) : Data()
                if data.count == 32 { return Array(data) }
            } catch {
                // Other bytes would make every stored response unreachable.
                if error.mayPass { throw SystemError(number: error.errorNumber) }
            }
            do throws(SystemError) {
                // Still a file without 32 bytes, or no file.
                if attempt > 0 { try folder.remove(name) }
            } catch {
                if error.number != ENOENT { throw error }
            }
            let bytes = randomBytes()
            let new = try PrivateFile.make(withPrefix: "salt-", in: folder)
            try new.append(Data(bytes))
            do throws(SystemError) {
                try folder.link(new.path, as: name)
                return bytes
            } catch {
                // A file that another process created meanwhile stays, and is read.
                if error.number != EEXIST { throw error }
            }
        }
        throw SystemError(number: EEXIST)
    }

    // MARK: Files

    /// A response file, as described by its name.
    struct Listed {
        let file: CacheFileName
        var size: Int64
        /// Seconds since 1970.
        let changed: Double
    }

    /// The response files; removes unreferenced files.
    ///
    /// - Parameter longest: The maximum length of a file in bytes; a longer one is removed.
    /// - Throws: ``SystemError`` before any file is removed, if not all of them are known.
    func list(longest: Int64) throws(SystemError) -> [Listed] {
        // The sum of all lengths must not overflow.
        let longest = min(longest, Self.longestFile)
        var found: [Listed] = []
        var bodies: [UInt64: (name: String, size: Int64, changed: Double)] = [:]
        let now = Date().timeIntervalSince1970
        var items: [(name: String, status: stat)] = []
        for name in try files.names where name.utf8.count > 15 {
            if let status = try files.status(of: name) { items.append((name, status)) }
        }
        for (name, status) in items where status.st_mode & S_IFMT == S_IFREG {
            let changed = Self.changed(status)
            let size = Int64(status.st_size)
            if size > longest, name.hasSuffix(".response") || name.hasSuffix(".body") {
                try? files.remove(name)
                continue
            }
            if let file = CacheFileName(name) {
                found.append(Listed(file: file, size: size, changed: changed))
            } else if let id = Self.bodyNumber(name) {
                bodies[id] = (name, size, changed)
            } else if name.hasSuffix(".tmp"), isLeft(name, since: changed) {
                try? files.remove(name)
            }
        }
        // Two responses share a body if a crash left an updated one beside its successor.
        var used: Set<UInt64> = []
        let whole = found.compactMap { listed -> Listed? in
            guard listed.file.body != 0 else { return listed }
            used.insert(listed.file.body)
            guard let body = bodies[listed.file.body] else {
                try? files.remove(listed.file.text)
                return nil
            }
            var listed = listed
            listed.size += body.size
            return listed
        }
        for (id, body) in bodies where !used.contains(id) && now - body.changed > Self.longestWriting {
            try? files.remove(body.name)
        }
        return whole
    }

    /// `true` if the process that wrote an incomplete file has ended.
    ///
    /// - Parameter changed: The time of the last change, in seconds since 1970; it counts for an empty file, whose process
    ///   may be about to lock it, and on a file system without locks.
    private func isLeft(_ name: String, since changed: Double) -> Bool {
        guard let file = try? RegularFile(at: name, in: files, flags: O_NOFOLLOW) else { return false }
        let isLocked = file.lock()
        if isLocked == false { return false }
        return isLocked == true && file.length > 0 || Date().timeIntervalSince1970 - changed > Self.longestWriting
    }

    private static func changed(_ status: stat) -> Double {
        #if canImport(Darwin)
        Double(status.st_mtimespec.tv_sec)
        #else
        Double(status.st_mtim.tv_sec)
        #endif
    }

    /// Writes the file of a response.
    ///
    /// - Returns: The number of bytes, including a body in a separate file; `nil` if writing failed.
    func write(_ response: CachedResponse, as name: String) -> Int64? {
        let temporary = CacheFolder.hex(response.id) + ".tmp"
        do {
            var file = try PrivateFile(at: temporary, in: files)
            file.lock()
            let record = try block.encoded(response.record, seed: response.id)
            var data = Data(CacheBlock.magic) + record.header + record.bytes
            if case .memory(let body) = response.body, !body.isEmpty {
                let encoded = try block.encoded(body, seed: ~response.id)
                data += encoded.header + encoded.bytes
            }
            try file.append(data)
            try files.rename(temporary, to: name)
            file.keep()
            if case .file(let body) = response.body { return Int64(data.count) + body.fileSize }
            return Int64(data.count)
        } catch {
            report(error)
            return nil
        }
    }

    /// Reads the file of a response; reports a damaged or unreadable one.
    func read(_ name: CacheFileName) throws(CacheFileFault) -> CachedResponse {
        let id = name.id
        do {
            let file = try RegularFile(at: name.text, in: files, flags: O_NOFOLLOW)
            guard file.isOwn, try CacheBlock.readMagic(from: file.descriptor) else { throw CacheFileFault.useless }
            let record = try block.read(from: file.descriptor, seed: id)
            let response = try CachedResponse.read(record) { length, bodyID, size in
                guard bodyID != 0 else {
                    return .memory(length == 0 ? Data() : try block.read(from: file.descriptor, seed: ~id))
                }
                let body = CachedBodyFile(id: bodyID, length: length, fileSize: size, in: self)
                let file = try body.open()
                return body.isWhole(file) ? .file(body) : nil
            }
            guard let response else { throw CacheBlock.Damage() }
            return response
        } catch let fault as CacheFileFault {
            throw fault
        } catch {
            throw fault(error, reading: name.text)
        }
    }

    /// Removes the files of all responses but some, of their bodies, and those that were left incomplete.
    ///
    /// A process that is about to store a response for a removed body finds it useless later. Reports an error.
    ///
    /// - Parameters:
    ///   - kept: The responses that stay.
    ///   - known: The responses to remove if the folder cannot be listed, as without a free descriptor.
    /// - Returns: `false` if the folder cannot be listed.
    func removeAll(but kept: [CacheFileName], known: [CacheFileName]) -> Bool {
        let (keptNames, keptBodies) = (Set(kept.map(\.text)), Set(kept.map(\.body)))
        var names = known.flatMap { [$0.text, Self.bodyName($0.body)] }
        var isListed = false
        do throws(SystemError) {
            names = try files.names
            isListed = true
        } catch {
            report(error)
        }
        var areGone = isListed
        for name in names where !keptNames.contains(name) {
            if CacheFileName(name) != nil {
                areGone = unlink(name) && areGone
            } else if let id = Self.bodyNumber(name) {
                if !keptBodies.contains(id) { areGone = removeBody(id) && areGone }
            } else if name.hasSuffix(".tmp"), let status = try? files.status(of: name),
                isLeft(name, since: Self.changed(status))
            {
                unlink(name)
            }
        }
        // The next process then makes another salt, with which it finds none of the files that are left.
        if !areGone { unlink(Self.saltName) }
        return isListed
    }

    /// Sets the time of a file, by which the next process knows its last use.
    func markUse(of name: String) { files.touch(name) }

    /// Reports a file that cannot be read, unless it is missing, and returns the kind of fault.
    func fault(_ error: any Error, reading name: String) -> CacheFileFault {
        guard let refusal = error as? RegularFile.Refusal else {
            let isDamaged = error is CacheBlock.Damage
            report(isDamaged ? DamagedCacheFile(path: "\(path)/\(name)") : error)
            return isDamaged ? .useless : .unreadable
        }
        guard refusal.mayPass else { return .useless }
        report(SystemError(number: refusal.errorNumber))
        return .unreadable
    }

    /// Removes the file of a response and of its body.
    ///
    /// If another process has removed the response, the body is its own: it may belong to a newer response.
    func remove(_ name: CacheFileName, keepingBody: Bool = false) {
        let isMissing: Bool
        do throws(SystemError) {
            try files.remove(name.text)
            isMissing = false
        } catch {
            isMissing = error.number == ENOENT
            if !isMissing { report(error) }
        }
        if name.body != 0, !keepingBody, !isMissing { removeBody(name.body) }
    }

    /// Removes the file of a body; reports an error.
    ///
    /// - Returns: `false` if the file is still there.
    @discardableResult func removeBody(_ id: UInt64) -> Bool {
        recentBodies.remove(id)
        unreadableBodies.withLock { _ = $0.remove(id) }
        return unlink(Self.bodyName(id))
    }

    /// Removes a file, unless it is missing; reports an error.
    ///
    /// - Returns: `false` if the file is still there.
    @discardableResult private func unlink(_ name: String) -> Bool {
        do throws(SystemError) { try files.remove(name) } catch {
            guard error.number == ENOENT else {
                report(error)
                return false
            }
        }
        return true
    }
}

/// The reason why a file of a cache cannot be used.
enum CacheFileFault: Error {
    /// The file is missing, of another version, or damaged.
    case useless
    /// The file cannot be read now: its key is locked, its disk has a fault, or there is no free descriptor.
    case unreadable
}

/// The name of a response file, made of the hashes of its origin and its URL and of the numbers of the response and its
/// body, which is 0 for a body in the file itself.
struct CacheFileName {
    let origin, url, id, body: UInt64

    var text: String { [origin, url, id, body].map(CacheFolder.hex).joined(separator: "-") + ".response" }
}

extension CacheFileName {
    /// Parses a name; `nil` for that of another file.
    init?(_ text: String) {
        guard text.hasSuffix(".response") else { return nil }
        let parts = text.dropLast(9).split(separator: "-").map { UInt64($0, radix: 16) }
        guard parts.count == 4, let origin = parts[0], let url = parts[1], let id = parts[2], let body = parts[3] else {
            return nil
        }
        self.init(origin: origin, url: url, id: id, body: body)
    }
}

/// A file whose bytes are not those that a cache wrote.
struct DamagedCacheFile: Error, CustomStringConvertible {
    let path: String

    var description: String { "\(path) is damaged. Its response is requested again." }
}
