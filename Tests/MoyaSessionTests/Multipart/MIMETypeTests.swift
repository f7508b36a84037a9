import Testing

@testable import MoyaSession

@Suite struct MIMETypeTests {
    @Test(arguments: [
        ("png", "image/png"), ("JPEG", "image/jpeg"), ("txt", "text/plain"), ("json", "application/json"),
    ])
    func commonExtensionIsKnown(pathExtension: String, type: String) {
        #expect(MIMEType.ofFile(withExtension: pathExtension) == type)
    }

    @Test(arguments: ["", "no-such-extension"]) func otherExtensionIsBytes(pathExtension: String) {
        #expect(MIMEType.ofFile(withExtension: pathExtension) == "application/octet-stream")
    }

    @Test func mimeTypesFileIsRead() {
        let text = "# comment\n\ntext/x-a\t\ta aa\napplication/none\ntext/x-b A b # c\nbroken d\n"
        #expect(MIMEType.parse(mimeTypes: text) == ["a": "text/x-a", "aa": "text/x-a", "b": "text/x-b"])
    }

    @Test func globsFileIsRead() {
        let text =
            "# comment\n80:text/x-a:*.a\n50:text/x-b:*.a\n50:text/x-c:*.c:cs\n50:text/x-d:*.so.[0-9]*\n50:text/x-e:make\n"
        #expect(MIMEType.parse(globs: text) == ["a": "text/x-a", "c": "text/x-c"])
    }
}
