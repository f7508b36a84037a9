import Foundation
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

    @Test func tableOverridesTheBuiltInList() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.file("mime.types", "image/x-mine png\n")
        let table = MIMETypeTable(mimeTypes: file.path, globs: "")
        #expect(MIMEType.ofFile(withExtension: "png", in: table) == "image/x-mine")
        #expect(MIMEType.ofFile(withExtension: "jpg", in: table) == "image/jpeg")
    }

    @Test func withoutTablesCommonExtensionsAreKnown() {
        let table = MIMETypeTable(mimeTypes: "", globs: "")
        #expect(MIMEType.ofFile(withExtension: "webp", in: table) == "image/webp")
        #expect(MIMEType.ofFile(withExtension: "no-such-extension", in: table) == MIMEType.unknown)
    }

    @Test func builtInListHoldsTypesByExtensionsInSmallLetters() {
        for (pathExtension, type) in MIMEType.builtIn {
            #expect(pathExtension == pathExtension.lowercased())
            #expect(MIMETypePattern(type)?.description == type)
        }
        #expect(MIMEType.builtIn.count > 150)
    }
}
