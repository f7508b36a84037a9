import Foundation
import Testing

@testable import MoyaSession

@Suite struct MIMETypeTableTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func table(mimeTypes: String? = nil, globs: String? = nil, limit: Int = 1 << 20) throws -> MIMETypeTable {
        let missing = directory.url.appendingPathComponent("missing").path
        return MIMETypeTable(
            mimeTypes: try mimeTypes.map { try directory.file("mime.types", $0).path } ?? missing,
            globs: try globs.map { try directory.file("globs2", $0).path } ?? missing, limit: limit)
    }

    @Test func extensionsFollowTheirType() throws {
        let table = try table(mimeTypes: "# comment\n\ntext/x-a\t\ta aa\r\ntext/x-b  A b # c\n")
        #expect(["a", "aa", "b", "c"].map { table[$0] } == ["text/x-a", "text/x-a", "text/x-b", nil])
    }

    @Test func patternsFollowTheirType() throws {
        let table = try table(
            globs: "# comment\n80:text/x-a:*.a\n50:text/x-b:*.a\n50:text/x-c:*.c:cs\n50:text/x-d:*.C:cs\n")
        #expect(["a", "c", "C"].map { table[$0] } == ["text/x-a", "text/x-c", nil])
    }

    @Test(arguments: [
        "broken d", "a/b", "a/b/c d", "/b d", "a/ d", " ", "a/b,d", "\u{0}/b d", "text/é d",
    ])
    func lineWithoutATypeIsIgnored(line: String) throws {
        let table = try table(mimeTypes: "\(line)\ntext/x-e e\n")
        #expect(table["d"] == nil)
        #expect(table["e"] == "text/x-e")
    }

    @Test(arguments: [
        "50:text/x-d:d", "50:text/x-d", "50:broken:*.d", "::*.d", ":", "50:text/x-d:*.d.d", "50:text/x-d:*.d[0-9]",
        "50:text/x-d:make", "50:__NOGLOBS__:*.d", "50:text/x-d;d:*.d",
    ])
    func patternThatIsNotAnExtensionIsIgnored(line: String) throws {
        let table = try table(globs: "\(line)\n50:text/x-e:*.e\n")
        #expect(table["d"] == nil)
        #expect(table["e"] == "text/x-e")
    }

    @Test func bytesThatAreNotTextAreIgnored() throws {
        let file = directory.url.appendingPathComponent("mime.types")
        try (Data([0xFF, 0xFE, 0x00, 0x0A]) + Data("text/x-a a\n".utf8)).write(to: file)
        #expect(MIMETypeTable(mimeTypes: file.path, globs: "")["a"] == "text/x-a")
    }

    @Test func registeredTypeOverridesThatOfThePatterns() throws {
        let table = try table(mimeTypes: "text/x-a a\n", globs: "50:text/x-b:*.a\n50:text/x-b:*.b\n")
        #expect(["a", "b"].map { table[$0] } == ["text/x-a", "text/x-b"])
    }

    @Test func lineCutByTheSizeLimitIsIgnored() throws {
        let text = "text/x-a a\ntext/x-b bcd\n"
        let cut = try table(mimeTypes: text, limit: text.utf8.count - 2)
        #expect(["a", "bc", "bcd"].map { cut[$0] } == ["text/x-a", nil, nil])
        let whole = try table(mimeTypes: String(text.dropLast()))
        #expect(whole["bcd"] == "text/x-b")
    }

    @Test func noTablesHoldNothing() throws {
        let table = try table()
        #expect(table["png"] == nil)
    }

    @Test func directoryAndDeviceHoldNothing() {
        let table = MIMETypeTable(mimeTypes: directory.url.path, globs: "/dev/zero")
        #expect(table["png"] == nil)
    }

    @Test func pipeIsNotRead() throws {
        let pipe = directory.url.appendingPathComponent("pipe").path
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(MIMETypeTable(mimeTypes: pipe, globs: pipe)["png"] == nil)
    }
}
