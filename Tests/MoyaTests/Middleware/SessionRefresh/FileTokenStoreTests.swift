import Foundation
import Moya
import MoyaTesting
import MoyaTransport
import Testing

@Suite struct FileTokenStoreTests {
    private let directory: TestDirectory
    private let file: URL
    private let tokens = OAuthTokens(
        accessToken: "a", refreshToken: "r", expiry: Date(timeIntervalSince1970: 1_000), lifetime: 60)

    init() throws {
        directory = try TestDirectory()
        file = directory.url.appendingPathComponent("tokens.json")
    }

    private static let removal = "Remove the file, or call clear(), and log in again."

    /// `true` if the error has the remedy for a directory, a pipe and so on, which a store does not remove.
    private static func hasRemedyOfAnotherFile(_ error: FileTokenStore.Failure?) -> Bool {
        guard let text = error?.localizedDescription else { return false }
        return text.hasSuffix("the file URL of a regular file, which need not exist.") && !text.contains("clear()")
    }

    @Test func tokensOutliveTheStore() async throws {
        try await FileTokenStore(file: file).save(tokens)
        #expect(try await FileTokenStore(file: file).load() == tokens)
    }

    @Test func absentFileHoldsNoTokens() async throws {
        #expect(try await FileTokenStore(file: file).load() == nil)
    }

    @Test func clearedStoreHoldsNoTokens() async throws {
        let store = FileTokenStore(file: file)
        try await store.save(tokens)
        try await store.clear()
        try await store.clear()
        #expect(try await store.load() == nil)
        #expect(directory.names.isEmpty)
    }

    @Test(arguments: [true, false]) func filesThatAProcessHasLeftAreRemoved(bySaving isSaved: Bool) async throws {
        _ = try directory.file("tokens.json.tmp-0", Data("of a process that has ended".utf8))
        _ = try directory.file("tokens.json.backup", Data("the user's".utf8))
        let store = FileTokenStore(file: file)
        if isSaved { try await store.save(tokens) } else { try await store.clear() }
        #expect(directory.names == (isSaved ? ["tokens.json", "tokens.json.backup"] : ["tokens.json.backup"]))
    }

    @Test func fileThatAnotherProcessIsWritingStays() async throws {
        let other = try PrivateFile(at: file.path + ".tmp-0")
        other.lock()
        try other.append(Data("tokens".utf8))
        try await FileTokenStore(file: file).save(tokens)
        #expect(directory.names == ["tokens.json", "tokens.json.tmp-0"])
        _ = consume other
    }

    // MARK: Several processes

    @Test func tokensThatAnotherProcessRefreshesAreNotRefreshed() async throws {
        let server = AuthorizationServer()
        try await FileTokenStore(file: file).save(tokens)
        var lock = await FileLock.acquire(at: file.path + ".lock")
        #expect(lock != nil)
        let isRead = Gate()
        let refresh = SessionRefresh(
            tokens: FileTokenStore(file: file),
            now: {
                isRead.open()
                return Date()
            }, refreshing: { try await server.refresh($0) })
        let provider = MoyaProvider<API>(session: Session(transport: server.transport), middleware: [refresh])
        let call = _Concurrency.Task { try await provider.request(API()).statusCode }
        try await isRead.wait()
        try await FileTokenStore(file: file).save(OAuthTokens(accessToken: "access0", refreshToken: "s"))
        lock = nil
        #expect(try await call.value == 200)
        #expect(server.refreshes.isEmpty)
    }

    @Test func onlyTheOwnerMayReadTheFile() async throws {
        try Data().write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        try await FileTokenStore(file: file).save(tokens)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(.enabled(if: geteuid() == 0, "Only root can give a file to another user."))
    func tokensOfAnotherUserAreNotTaken() async throws {
        try await FileTokenStore(file: file).save(tokens)
        try #require(chown(file.path, 65534, 65534) == 0)
        let error = await #expect(throws: FileTokenStore.Failure.self) { try await FileTokenStore(file: file).load() }
        #expect(error?.localizedDescription.contains("Check that the file is the user's.") == true)
    }

    @Test func newFileReplacesTheOldOneAtomically() async throws {
        let store = FileTokenStore(file: file)
        try await store.save(tokens)
        let old = try FileHandle(forReadingFrom: file)
        try await store.save(OAuthTokens(accessToken: "new"))
        // A reader that had opened the old file still reads it whole.
        let read = try old.readToEnd() ?? Data()
        #expect(try JSONDecoder().decode(OAuthTokens.self, from: read) == tokens)
        #expect(directory.names == ["tokens.json"])
    }

    @Test func urlThatIsNoFileIsRefusedByName() async throws {
        // The path of the URL is that of a file here.
        let url = try #require(URL(string: "https://example.com\(file.path)"))
        let store = FileTokenStore(file: url)
        let attempts: [@Sendable () async throws -> Void] = [
            { try await store.save(tokens) }, { _ = try await store.load() }, { try await store.clear() },
            { _ = try await store.replace(tokens, with: nil) },
        ]
        for attempt in attempts {
            let error = await #expect(throws: FileTokenStore.Failure.self) { try await attempt() }
            #expect(error?.localizedDescription.contains("https://example.com") == true)
            #expect(Self.hasRemedyOfAnotherFile(error))
        }
        #expect(directory.names.isEmpty)
    }

    @Test(arguments: ["", "garbage", "{}", "[1]", #"{"access_token":7}"#])
    func malformedFileIsADescribedErrorWithoutItsContent(_ content: String) async throws {
        try Data(content.utf8).write(to: file)
        let error = await #expect(throws: FileTokenStore.Failure.self) { try await FileTokenStore(file: file).load() }
        #expect(error?.localizedDescription.contains("There are no tokens in \(file.path)") == true)
        #expect(error?.localizedDescription.hasSuffix(Self.removal) == true)
    }

    @Test func fileThatIsTooLongIsNotRead() async throws {
        try Data(count: (1 << 20) + 1).write(to: file)
        let error = await #expect(throws: FileTokenStore.Failure.self) { try await FileTokenStore(file: file).load() }
        #expect(error?.localizedDescription.hasSuffix(Self.removal) == true)
    }

    @Test func directoryInsteadOfTheFileIsAnError() async throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let store = FileTokenStore(file: file)
        let attempts: [@Sendable () async throws -> Void] = [
            { _ = try await store.load() }, { try await store.save(tokens) }, { try await store.clear() },
        ]
        for attempt in attempts {
            let error = await #expect(throws: FileTokenStore.Failure.self) { try await attempt() }
            #expect(Self.hasRemedyOfAnotherFile(error))
        }
        #expect(directory.names == ["tokens.json"])
    }

    @Test func missingDirectoryIsADescribedError() async throws {
        let store = FileTokenStore(file: file.appendingPathComponent("below"))
        let error = await #expect(throws: FileTokenStore.Failure.self) { try await store.save(tokens) }
        #expect(error?.localizedDescription.contains("could not be written") == true)
    }

    #if os(Linux) || os(macOS)
    /// In a process that ends by itself should the file be waited for.
    @Test func refusesAPipeWithoutWaiting() async {
        await #expect(processExitsWith: .success) {
            alarm(20)
            let directory = try TestDirectory()
            let file = directory.url.appendingPathComponent("tokens.json")
            #expect(mkfifo(file.path, 0o600) == 0)
            let error = await #expect(throws: FileTokenStore.Failure.self) {
                try await FileTokenStore(file: file).load()
            }
            #expect(error?.localizedDescription.contains("a pipe") == true)
        }
    }
    #endif

    @Test func doesNotReplaceOtherThanFiles() async throws {
        #expect(mkfifo(file.path, 0o600) == 0)
        let store = FileTokenStore(file: file)
        let error = await #expect(throws: FileTokenStore.Failure.self) { try await store.save(tokens) }
        #expect(Self.hasRemedyOfAnotherFile(error))
        await #expect(throws: FileTokenStore.Failure.self) { try await store.clear() }
        #expect(directory.names == ["tokens.json"])
    }

    @Test(arguments: ["/dev/zero", "/dev/null", "/dev"])
    func refusesADevice(path: String) async throws {
        let link = URL(fileURLWithPath: path)
        await #expect(throws: FileTokenStore.Failure.self) { try await FileTokenStore(file: link).load() }
        // Through a link as well.
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: link)
        await #expect(throws: FileTokenStore.Failure.self) { try await FileTokenStore(file: file).load() }
    }

    @Test func replacesALinkInsteadOfItsTarget() async throws {
        let other = directory.url.appendingPathComponent("other")
        try Data("untouched".utf8).write(to: other)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: other)
        try await FileTokenStore(file: file).save(tokens)
        #expect(try String(contentsOf: other, encoding: .utf8) == "untouched")
        #expect(try await FileTokenStore(file: file).load() == tokens)
    }

    #if os(Linux) || os(macOS)
    /// In a separate process: all of it shares one umask.
    @Test func onlyTheOwnerMayReadTheFileUnderAnyUmask() async {
        await #expect(processExitsWith: .success) {
            for mask in [0o777, 0o077, 0] as [mode_t] {
                let directory = try TestDirectory()
                let file = directory.url.appendingPathComponent("tokens.json")
                umask(mask)
                try await FileTokenStore(file: file).save(OAuthTokens(accessToken: "a"))
                umask(0o022)
                let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
            }
        }
    }
    #endif
}
