import Foundation
import MoyaTransport

/// Stores responses in files, and the most recently used ones also in memory.
///
/// Only the names of the files are read at the start. Files are written and removed on a queue, in order; a response
/// can be found as soon as it is inserted.
final class DiskCacheStore: CacheStore {
    /// A file that exists or is about to be written.
    ///
    /// `@unchecked`: protected by the store's lock.
    private final class Slot: @unchecked Sendable {
        let file: CacheFileName
        var size: Int64
        /// Seconds since 1970.
        var lastUse: Double
        /// The time of the last use that is recorded in the file.
        var marked: Double
        /// The response, until it is written.
        var unwritten: CachedResponse?
        /// `true` if the file was found or written.
        var hasFile: Bool
        var isRemoved = false
        /// Removed slots whose files are deleted once this slot's file exists.
        var replaced: [Slot] = []
        /// The identifiers of those that the response updates.
        var updated: Set<UInt64> = []
        /// `true` if the file could not be read, for a reason that may pass.
        var isUnreadable = false
        /// Unreadable slots of the URL, which are removed once this slot's file exists.
        var unreadable: [Slot] = []

        init(_ file: CacheFileName, size: Int64, lastUse: Double, unwritten: CachedResponse? = nil) {
            self.file = file
            self.size = size
            self.lastUse = lastUse
            marked = lastUse
            self.unwritten = unwritten
            hasFile = unwritten == nil
        }
    }

    private struct State {
        var slots: [UInt64: [Slot]] = [:]
        var size: Int64 = 0
        /// The number of response bytes that wait to be written.
        var unwritten = 0

        /// Inserts the slot of a response in place of outdated ones; `false` if the response is only for memory.
        mutating func insert(_ slot: Slot, of response: CachedResponse, replacing outdated: [UInt64]) -> Bool {
            let earlier = slots[slot.file.url] ?? []
            slot.unreadable = earlier.filter(\.isUnreadable)
            let others = earlier.filter { !outdated.contains($0.file.id) }
            let excess = max(others.count + 1 - MemoryCacheStore.mostVariants, 0)
            let replaced = earlier.filter { outdated.contains($0.file.id) } + others.prefix(excess)
            if response.isUpdate { slot.updated = Set(outdated) }
            drop(replaced)
            for old in replaced {
                // Of two updates in a row, the first may not be written yet.
                if slot.updated.contains(old.file.id) { slot.updated.formUnion(old.updated) }
                slot.replaced += [old] + old.replaced
                old.replaced = []
            }
            guard unwritten < DiskCacheStore.mostUnwritten, !response.isOnlyForMemory else { return false }
            unwritten += response.memorySize
            slots[slot.file.url, default: []].append(slot)
            size += slot.size
            return true
        }

        /// Removes slots, in one pass for each URL.
        mutating func drop(_ dropped: [Slot]) {
            for slot in dropped where !slot.isRemoved {
                slot.isRemoved = true
                size -= slot.size
            }
            for url in Set(dropped.map(\.file.url)) {
                slots[url]?.removeAll(where: \.isRemoved)
                if slots[url]?.isEmpty == true { slots[url] = nil }
            }
        }
    }

    private let folder: CacheFolder
    /// Makes another store of the folder.
    private let reopen: @Sendable (CacheFolder) -> DiskCacheStore
    private let limit: Int64
    private let memory: MemoryCacheStore
    private let state = Lock(State())
    /// `true` if the folder could not be listed at the start, or when everything was to be removed.
    private let isUnlisted = Lock(false)
    private let queue = DispatchQueue(label: "org.moya.cache.files", qos: .utility)

    /// The seconds for which uses are only in memory.
    private static let longestUnmarked: Double = 60

    /// The maximum number of bytes that wait to be written; further responses stay only in memory.
    private static let mostUnwritten = 8 * 1024 * 1024

    init(
        at path: String, limit: Int64, memoryLimit: Int = 4 * 1024 * 1024, encryption: HTTPCache.Encryption?,
        reporter: @escaping @Sendable (any Error) -> Void
    ) {
        folder = CacheFolder(path: path, memoryLimit: memoryLimit, encryption: encryption, reporter: reporter)
        reopen = { folder in
            DiskCacheStore(
                at: path, limit: limit, memoryLimit: memoryLimit, encryption: encryption,
                reporter: { folder.report($0) })
        }
        self.limit = max(limit, 0)
        memory = MemoryCacheStore(limit: memoryLimit, salt: folder.salt)
        var files: [CacheFolder.Listed] = []
        do throws(SystemError) {
            files = try folder.list(longest: self.limit)
        } catch {
            folder.report(error)
            isUnlisted.set(true)
        }
        let excess = state.withLock { state in
            for file in files.sorted(by: { $0.changed < $1.changed }) {
                let slot = Slot(file.file, size: file.size, lastUse: file.changed)
                state.slots[file.file.url, default: []].append(slot)
                state.size += file.size
            }
            // Several processes may each have stored the maximum.
            return state.slots.values.flatMap { $0.dropLast(MemoryCacheStore.mostVariants) }
        }
        remove(excess)
        makeRoom()
    }

    /// A store of the folder, if it could not be opened or listed before and can be now.
    ///
    /// Not the same store, because the names of files depend on the folder's random bytes.
    func reopened() -> (any CacheStore)? {
        guard mayReopen else { return nil }
        let store = reopen(folder)
        return store.mayReopen ? nil : store
    }

    var mayReopen: Bool { isUnlisted.value }

    var longestBody: Int64 { limit / 4 }
    var salt: [UInt8] { folder.salt }
    var size: Int64 { state.withLock { $0.size } }

    func makeBody() -> any CachedBodyWriter { FileBodyWriter(in: folder, limit: longestBody) }

    /// Waits until everything is written; for tests.
    func flush() { queue.sync {} }

    // MARK: Reading

    func responses(for url: String) -> [CachedResponse] {
        let hash = folder.hash(url)
        // Also for a response in memory, whose files are in use by that.
        markUse(of: hash)
        if let known = memory.group(for: url) { return known }
        let changes = memory.changes
        let slots = state.withLock { state in (state.slots[hash] ?? []).map { ($0, $0.unwritten) } }
        guard !slots.isEmpty else { return [] }
        var responses: [CachedResponse] = []
        var isComplete = true
        for (slot, unwritten) in slots {
            var isUnreadable = false
            do throws(CacheFileFault) {
                let response = if let unwritten { unwritten } else { try folder.read(slot.file) }
                // Another URL may have the same hash.
                if response.key == url { responses.append(response) }
            } catch .useless {
                if state.withLock({ _ in !slot.isRemoved }) { remove([slot]) }
            } catch {
                isUnreadable = true
                isComplete = false
            }
            if unwritten == nil { state.withLock { [isUnreadable] _ in slot.isUnreadable = isUnreadable } }
        }
        responses.sort { $0.received < $1.received }
        guard isComplete else { return responses }
        memory.install(responses, for: url, unlessChangedSince: changes)
        return responses
    }

    /// Records a use; at most once a minute in the file itself, for the next process.
    private func markUse(of hash: UInt64) {
        let now = Date().timeIntervalSince1970
        let unmarked = state.withLock { state -> [Slot] in
            var unmarked: [Slot] = []
            for slot in state.slots[hash] ?? [] {
                slot.lastUse = now
                guard now - slot.marked >= Self.longestUnmarked, slot.unwritten == nil else { continue }
                slot.marked = now
                unmarked.append(slot)
            }
            return unmarked
        }
        guard !unmarked.isEmpty else { return }
        queue.async { for slot in unmarked { self.folder.markUse(of: slot.file.text) } }
    }

    // MARK: Changes

    func insert(_ response: CachedResponse) {
        let known = responses(for: response.key)
        let outdated = known.filter { $0.isSameVariant(as: response) }.map(\.id)
        let hash = folder.hash(response.key)
        let origin = folder.hash(CacheRules.origin(of: response.url))
        let body: UInt64 = if case .file(let file) = response.body { file.id } else { 0 }
        let file = CacheFileName(origin: origin, url: hash, id: response.id, body: body)
        let size = Int64(response.memorySize) + (body == 0 ? 0 : response.body.count)
        let slot = Slot(file, size: size, lastUse: Date().timeIntervalSince1970, unwritten: response)
        let (isKept, isComplete) = state.withLock { state in
            let isKept = state.insert(slot, of: response, replacing: outdated)
            return (isKept, known.isEmpty && slot.unreadable.isEmpty)
        }
        // After the change of the slots: a lookup that read them before does not install what it found.
        if isKept || body == 0 {
            memory.insert(response, completes: isComplete)
        } else {
            // The replaced response is no longer in a file either.
            memory.removeAll(for: response.key)
        }
        queue.async { isKept ? self.write(slot, response) : self.removeFiles(ofUnwritten: slot) }
        if isKept { makeRoom() }
    }

    /// Writes a response, and then removes the files of the responses that it replaces, so that one exists whenever the
    /// process ends.
    private func write(_ slot: Slot, _ response: CachedResponse) {
        let isWanted = state.withLock { _ in !slot.isRemoved }
        let size = isWanted ? folder.write(response, as: slot.file.text) : nil
        var isForgotten = slot.file.body != 0
        let (isOutdated, replaced) = state.withLock { state in
            state.unwritten -= response.memorySize
            slot.unwritten = nil
            slot.hasFile = size != nil
            var replaced = slot.replaced
            slot.replaced = []
            if size == nil, !slot.isRemoved,
                let index = replaced.firstIndex(where: { $0.hasFile && slot.updated.contains($0.file.id) })
            {
                // An update that cannot be written: the response before it still has its file, and the body.
                let old = replaced.remove(at: index)
                old.isRemoved = false
                state.slots[slot.file.url, default: []].append(old)
                state.size += old.size
                isForgotten = true
            }
            guard !slot.isRemoved, let size else { return (true, replaced) }
            state.size += size - slot.size
            slot.size = size
            return (false, replaced)
        }
        for old in replaced { unlinkFiles(of: old) }
        removeUnreadable(besides: slot, isOutdated: isOutdated)
        guard isOutdated else { return }
        if size != nil { unlinkFiles(of: slot) }
        if isWanted, size == nil {
            remove([slot])
            // The responses in memory refer to the body's file, or are newer than the one that is stored again.
            if isForgotten { memory.removeAll(for: response.key) }
        }
    }

    /// Removes the slots beside a written one that are still unreadable, unless that is outdated.
    private func removeUnreadable(besides slot: Slot, isOutdated: Bool) {
        let unreadable = state.withLock { state in
            defer { slot.unreadable = [] }
            let still = isOutdated ? [] : slot.unreadable.filter { $0.isUnreadable && !$0.isRemoved }
            state.drop(still)
            return still
        }
        for old in unreadable { unlinkFiles(of: old) }
    }

    private func removeFiles(ofUnwritten slot: Slot) {
        for old in slot.replaced { unlinkFiles(of: old) }
        if slot.file.body != 0 { folder.removeBody(slot.file.body) }
    }

    func remove(_ response: CachedResponse) {
        remove(where: folder.hash(response.key)) { $0.file.id == response.id }
        memory.remove(response)
    }

    func removeAll(for url: String) {
        remove(where: folder.hash(url)) { _ in true }
        memory.removeAll(for: url)
    }

    func removeAll(ofOrigin origin: String) {
        let hash = folder.hash(origin)
        let slots = state.withLock { $0.slots.values.joined().filter { $0.file.origin == hash } }
        remove(slots)
        memory.removeAll(ofOrigin: origin)
    }

    /// Removes the files at once, also those of other processes: the process may end right after a log-out.
    func removeAll() {
        let removed = state.withLock { state in
            let slots = Array(state.slots.values.joined())
            state.drop(slots)
            return slots.flatMap { [$0] + $0.replaced }.map(\.file)
        }
        memory.removeAll()
        let kept = state.withLock { state in state.slots.values.joined().map(\.file) }
        // The store that replaces this one then removes the files of other processes.
        if !folder.removeAll(but: kept, known: removed) { isUnlisted.set(true) }
    }

    private func remove(where url: UInt64, _ isMeant: (Slot) -> Bool) {
        let slots = state.withLock { $0.slots[url] ?? [] }
        remove(slots.filter(isMeant))
    }

    /// Removes slots at once, and their files later.
    private func remove(_ slots: [Slot]) {
        guard !slots.isEmpty else { return }
        state.withLock { $0.drop(slots) }
        queue.async { for slot in slots { self.unlinkFiles(of: slot) } }
    }

    /// Removes the files of a slot; the body stays if a newer response uses it.
    private func unlinkFiles(of slot: Slot) {
        let (isShared, hasFile) = state.withLock { state in
            let others = slot.file.body == 0 ? nil : state.slots[slot.file.url]
            return (others?.contains { $0.file.body == slot.file.body } == true, slot.hasFile)
        }
        if hasFile {
            folder.remove(slot.file, keepingBody: isShared)
        } else if slot.file.body != 0, !isShared {
            folder.removeBody(slot.file.body)
        }
    }

    /// Removes the least recently used files, a tenth more than necessary.
    private func makeRoom() {
        let slots = state.withLock { state -> [Slot] in
            guard state.size > limit else { return [] }
            var excess = state.size - (limit - limit / 10)
            var chosen: [Slot] = []
            for slot in state.slots.values.joined().sorted(by: { $0.lastUse < $1.lastUse }) where excess > 0 {
                excess -= slot.size
                chosen.append(slot)
            }
            return chosen
        }
        remove(slots)
    }
}
