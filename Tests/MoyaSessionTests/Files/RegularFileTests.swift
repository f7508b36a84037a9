import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

@Suite struct RegularFileTests {
    private let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private func path(_ name: String) -> String { directory.url.appendingPathComponent(name).path }

    private func refusal(_ path: String, flags: Int32 = 0) -> RegularFile.Refusal? {
        do throws(RegularFile.Refusal) {
            _ = try RegularFile(at: path, flags: flags)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [0, 1, 4095, 4096, 100_000])
    func readsAFileWhole(size: Int) throws {
        let file = try directory.file("file", String(repeating: "x", count: size))
        #expect(try RegularFile(at: file.path).length == Int64(size))
        #expect(try RegularFile(at: file.path).contents(limit: size) == Data(repeating: 0x78, count: size))
    }

    @Test func readsAFileOfAFileURLOnly() throws {
        let file = try directory.file("file", "12345")
        #expect(try RegularFile.contents(of: file) == Data("12345".utf8))
        #expect(throws: RegularFile.Refusal.tooLong(limit: 4)) { try RegularFile.contents(of: file, limit: 4) }
        for scheme in ["http", "https", "data", "ftp"] {
            let url = try #require(URL(string: "\(scheme)://127.0.0.1\(file.path)"))
            #expect(throws: RegularFile.Refusal.notRegular("a URL with the scheme \"\(scheme)\"")) {
                try RegularFile.contents(of: url)
            }
        }
    }

    @Test func refusesAFileBeyondTheLimit() throws {
        let file = try directory.file("file", "12345")
        #expect(throws: RegularFile.Refusal.tooLong(limit: 4)) { try RegularFile(at: file.path).contents(limit: 4) }
    }

    @Test func readsTheBytesByWhichAFileHasGrown() throws {
        let url = try directory.file("file", "12345")
        let file = try RegularFile(at: url.path)
        try Data("1234567".utf8).write(to: url)
        #expect(try file.contents(limit: 7) == Data("1234567".utf8))
        #expect(throws: RegularFile.Refusal.self) { try RegularFile(at: url.path).contents(limit: 6) }
    }

    @Test(arguments: ["/dev/zero", "/dev/null", "/dev/tty", "/", "/nowhere/at.all", "", "a\0b"])
    func refusesAPathThatIsNotAFile(path: String) {
        #expect(refusal(path) != nil)
    }

    @Test func refusesAPipeAndASocketWithoutWaiting() throws {
        #expect(mkfifo(path("pipe"), 0o600) == 0)
        #expect(refusal(path("pipe")) == .notRegular("a pipe"))
        #expect(refusal(path("pipe"), flags: O_WRONLY) != nil)
        // The address of a socket is shorter than a path in a simulator's temporary directory.
        let address = "/tmp/moya-\(UUID().uuidString)"
        let socket = try #require(UnixSocket(path: address))
        defer { unlink(address) }
        #expect(refusal(address) != nil)
        #expect(refusal(address, flags: O_WRONLY) != nil)
        socket.close()
    }

    @Test func followsALinkByDefault() throws {
        let file = try directory.file("file", "text")
        symlink(file.path, path("link"))
        #expect(refusal(path("link")) == nil)
        #expect(refusal(path("link"), flags: O_NOFOLLOW) == .unopened(ELOOP))
    }

    @Test func describesTheProblem() {
        #expect(refusal("/nowhere/at.all")?.description == "cannot be opened: No such file or directory")
        #expect(refusal("/")?.description == "is a directory, not a regular file")
    }

    // MARK: Races

    /// Another thread puts a file, a link to a longer one, a pipe and a directory in one place, one after another,
    /// until a closure has returned.
    private func whileSwapping(_ place: String, with victim: String, _ work: () throws -> Void) rethrows {
        let isOver = Lock(false)
        let hasEnded = DispatchSemaphore(value: 0)
        let own = self.path("own")
        let next = self.path("next")
        Thread.detachNewThread {
            var iteration = 0
            while !isOver.withLock({ $0 }) {
                iteration += 1
                switch iteration % 4 {
                case 0: try? Data("aaaa".utf8).write(to: URL(fileURLWithPath: own))
                case 1: symlink(victim, own)
                case 2: mkfifo(own, 0o600)
                default: symlink("/dev/zero", own)
                }
                rename(own, next)
                rename(next, place)
            }
            hasEnded.signal()
        }
        defer {
            isOver.withLock { $0 = true }
            hasEnded.wait()
        }
        try work()
    }

    @Test(.timeLimit(.minutes(1))) func checksTheFileThatItReads() throws {
        let victim = try directory.file("victim", String(repeating: "b", count: 10_000))
        let place = path("place")
        whileSwapping(place, with: victim.path) {
            var lengths: Set<Int64> = []
            var attempts = 0
            while attempts < 3000 || lengths.count < 2 {
                attempts += 1
                guard let file = try? RegularFile(at: place) else { continue }
                let length = Int64(file.length)
                guard let data = try? file.contents(limit: 1 << 20) else { continue }
                let expected = Data(repeating: length == 4 ? 0x61 : 0x62, count: Int(length))
                if data != expected || (length != 4 && length != 10_000) {
                    Issue.record("\(length) bytes were told, \(data.count) were read")
                    return
                }
                lengths.insert(length)
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func neverOpensALinkThatReplacesTheFile() throws {
        let victim = try directory.file("victim", String(repeating: "b", count: 10_000))
        let place = path("place")
        whileSwapping(place, with: victim.path) {
            var (attempts, opened) = (0, 0)
            while attempts < 3000 || opened == 0 {
                attempts += 1
                guard let file = try? RegularFile(at: place, flags: O_RDWR | O_NOFOLLOW) else { continue }
                if file.length != 4 { Issue.record("\(file.length)") }
                ftruncate(file.descriptor, 4)
                opened += 1
            }
        }
        #expect(try Data(contentsOf: victim).count == 10_000)
    }

    @Test func neverMovesADownloadThroughALink() throws {
        let victim = try directory.file("victim", "untouched")
        let place = path("place")
        try whileSwapping(place, with: victim.path) {
            for _ in 0..<1000 {
                let download = try directory.file("download", "new")
                _ = try? FileReplacement.move(download, to: URL(fileURLWithPath: place), .removePreviousFile)
                _ = try? FileReplacement.move(download, to: URL(fileURLWithPath: place), [])
            }
        }
        #expect(try String(contentsOf: victim, encoding: .utf8) == "untouched")
    }

    @Test func neverMakesAFileThroughALink() throws {
        let victim = try directory.file("victim", "untouched")
        let place = path("place")
        whileSwapping(place, with: victim.path) {
            for _ in 0..<3000 {
                guard let file = try? PrivateFile(at: place) else { continue }
                try? file.append(Data("private".utf8))
            }
        }
        #expect(try String(contentsOf: victim, encoding: .utf8) == "untouched")
    }

    // MARK: Resuming

    @Test func resumesNoLinkAndNoPipe() throws {
        let left = try TemporaryFile.make().url
        let other = try directory.file("other", "0123456789")
        unlink(left.path)
        defer { unlink(left.path) }
        symlink(other.path, left.path)
        #expect(!TemporaryFile.isThere(left, length: 5))
        #expect(throws: SessionError.self) { try TemporaryFile.reopen(left, length: 5) }
        unlink(left.path)
        mkfifo(left.path, 0o600)
        #expect(!TemporaryFile.isThere(left, length: 0))
        #expect(throws: SessionError.self) { try TemporaryFile.reopen(left, length: 0) }
        #expect(try String(contentsOf: other, encoding: .utf8) == "0123456789")
    }
}

/// A socket that is bound to a path.
private struct UnixSocket {
    private let descriptor: Int32

    init?(path: String) {
        #if canImport(Glibc)
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM), 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8) + [0]
        guard descriptor >= 0, bytes.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound else { return nil }
    }

    func close() { shutDown(descriptor) }
}

private func shutDown(_ descriptor: Int32) { close(descriptor) }
