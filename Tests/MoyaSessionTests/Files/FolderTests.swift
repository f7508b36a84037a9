import MoyaTransport
import Testing

/// An open folder.
@Suite struct FolderTests {
    /// An empty list would be read as a folder without files.
    @Test func aFolderThatCannotBeListedHasNoNames() {
        #expect(throws: SystemError.self) { try Folder.unopened.names }
    }

    @Test func anItemWithoutAKnownStatusIsNotMissing() {
        #expect(throws: SystemError.self) { try Folder.unopened.status(of: "a") }
    }
}
