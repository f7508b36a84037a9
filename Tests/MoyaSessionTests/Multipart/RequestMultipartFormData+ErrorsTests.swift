import Foundation
import MoyaSession
import Testing

@Suite struct RequestMultipartFormDataErrorsTests {
    typealias Reason = SessionError.MultipartEncodingFailureReason

    let directory: TemporaryDirectory
    let form = RequestMultipartFormData(boundary: "B")

    init() throws { directory = try TemporaryDirectory() }

    private var output: URL { directory.url.appendingPathComponent("output") }

    private func text(_ reason: Reason?) -> String { reason.map { "\($0)" } ?? "no error" }

    private func lengths(_ reason: Reason?) -> SessionError.UnexpectedInputStreamLength? {
        guard case .inputStreamReadFailed(let error) = reason else { return nil }
        return error as? SessionError.UnexpectedInputStreamLength
    }

    // MARK: Parts

    @Test func fileWithoutAnExtensionNeedsAType() throws {
        form.append(try directory.file("name", "x"), withName: "n")
        let reason = multipartReason { try form.encode() }
        guard case .bodyPartFilenameInvalid = reason else {
            Issue.record("\(text(reason))")
            return
        }
    }

    @Test func fileWithoutAnExtensionMayHaveAType() throws {
        form.append(try directory.file("name", "x"), withName: "n", fileName: "f", mimeType: "a/b")
        #expect(multipartReason { try form.encode() } == nil)
    }

    @Test func partThatIsNoFileURLIsAnError() throws {
        form.append(try #require(URL(string: "https://example.com/a.png")), withName: "n")
        let reason = multipartReason { try form.encode() }
        guard case .bodyPartURLInvalid = reason else {
            Issue.record("\(text(reason))")
            return
        }
    }

    @Test func missingFileIsAnError() {
        let missing = directory.url.appendingPathComponent("missing.png")
        form.append(missing, withName: "n")
        let reason = multipartReason { try form.encode() }
        guard case .bodyPartFileNotReachableWithError(missing, _) = reason else {
            Issue.record("\(text(reason))")
            return
        }
    }

    @Test func fileBelowAFileIsAnErrorWithItsCause() throws {
        form.append(try directory.file("a.txt", "x").appendingPathComponent("b.png"), withName: "n")
        let reason = multipartReason { try form.encode() }
        guard case .bodyPartFileNotReachableWithError(_, let error) = reason else {
            Issue.record("\(text(reason))")
            return
        }
        #expect((error as? POSIXError)?.code == .ENOTDIR)
    }

    @Test func directoryIsAnError() throws {
        let folder = directory.url.appendingPathComponent("folder.png")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        form.append(folder, withName: "n")
        let reason = multipartReason { try form.encode() }
        guard case .bodyPartFileIsDirectory = reason else {
            Issue.record("\(text(reason))")
            return
        }
    }

    @Test func deviceIsAnErrorRatherThanAnEndlessBody() {
        form.append(URL(fileURLWithPath: "/dev/zero"), withName: "n", fileName: "f", mimeType: "a/b")
        let reason = multipartReason { try form.encode() }
        guard case .bodyPartFileSizeNotAvailable = reason else {
            Issue.record("\(text(reason))")
            return
        }
    }

    @Test func fileRemovedBeforeEncodingIsAnError() throws {
        let file = try directory.file("a.txt", "x")
        form.append(file, withName: "n")
        try FileManager.default.removeItem(at: file)
        let reason = multipartReason { try form.encode() }
        guard case .bodyPartInputStreamCreationFailed(file) = reason else {
            Issue.record("\(text(reason))")
            return
        }
    }

    @Test func firstErrorIsThrown() {
        form.append(URL(fileURLWithPath: "/"), withName: "n", fileName: "f", mimeType: "a/b")
        form.append(directory.url.appendingPathComponent("missing.png"), withName: "n")
        let reasons = [
            multipartReason { try form.encode() }, multipartReason { try form.writeEncodedData(to: output) },
        ]
        for reason in reasons {
            guard case .bodyPartFileIsDirectory = reason else {
                Issue.record("\(text(reason))")
                return
            }
        }
    }

    // MARK: Lengths

    @Test(arguments: [(1, 3), (5, 3)] as [(UInt64, UInt64)])
    func streamOfAnotherLengthIsAnError(expected: UInt64, actual: UInt64) {
        form.append(InputStream(data: Data(repeating: 7, count: Int(actual))), withLength: expected, headers: [:])
        let lengths = lengths(multipartReason { try form.encode() })
        #expect(lengths == .init(bytesExpected: expected, bytesRead: actual))
    }

    @Test func longerStreamIsCutWhenWritten() throws {
        form.append(InputStream(data: Data("12345".utf8)), withLength: 3, headers: [:])
        try form.writeEncodedData(to: output)
        #expect(try String(contentsOf: output, encoding: .utf8) == "--B\r\n\r\n123\r\n--B--\r\n")
    }

    @Test func shorterStreamIsAnErrorWhenWritten() {
        form.append(InputStream(data: Data("123".utf8)), withLength: 5, headers: [:])
        let lengths = lengths(multipartReason { try form.writeEncodedData(to: output) })
        #expect(lengths == .init(bytesExpected: 5, bytesRead: 3))
    }

    @Test func streamThatCannotBeReadIsAnError() throws {
        let stream = try #require(InputStream(url: directory.url.appendingPathComponent("missing")))
        form.append(stream, withLength: 5, headers: [:])
        let reason = multipartReason { try form.encode() }
        guard case .inputStreamReadFailed = reason else {
            Issue.record("\(text(reason))")
            return
        }
        #expect(lengths(reason) == nil)
    }

    @Test func encodingTwiceIsAnError() throws {
        form.append(Data("12345".utf8), withName: "n")
        _ = try form.encode()
        let lengths = lengths(multipartReason { try form.encode() })
        #expect(lengths == .init(bytesExpected: 5, bytesRead: 0))
    }

    @Test func writingAnEncodedFormAgainIsAnErrorAndLeavesNoFile() throws {
        form.append(Data("12345".utf8), withName: "n")
        _ = try form.encode()
        #expect(multipartReason { try form.writeEncodedData(to: output) } != nil)
        #expect(!FileManager.default.fileExists(atPath: output.path))
    }

    // MARK: Output

    @Test func existingOutputIsNotChanged() throws {
        let existing = try directory.file("output", "precious")
        form.append(Data("x".utf8), withName: "n")
        let reason = multipartReason { try form.writeEncodedData(to: existing) }
        guard case .outputStreamFileAlreadyExists(existing) = reason else {
            Issue.record("\(text(reason))")
            return
        }
        #expect(try String(contentsOf: existing, encoding: .utf8) == "precious")
    }

    @Test func brokenLinkIsNotWrittenThrough() throws {
        let target = directory.url.appendingPathComponent("target")
        try FileManager.default.createSymbolicLink(at: output, withDestinationURL: target)
        #expect(multipartReason { try form.writeEncodedData(to: output) } != nil)
        #expect(!FileManager.default.fileExists(atPath: target.path))
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: output.path)) != nil)
    }

    @Test func outputThatIsNoFileURLIsAnError() throws {
        let reason = multipartReason {
            try form.writeEncodedData(to: try #require(URL(string: "https://example.com/x-y-z")))
        }
        guard case .outputStreamURLInvalid = reason else {
            Issue.record("\(text(reason))")
            return
        }
    }

    @Test func outputInAFolderThatIsNotThereIsAnError() {
        let reason = multipartReason { try form.writeEncodedData(to: output.appendingPathComponent("deeper")) }
        guard case .outputStreamCreationFailed = reason else {
            Issue.record("\(text(reason))")
            return
        }
    }

    @Test func failedWriteLeavesNoFile() {
        form.append(Data("whole".utf8), withName: "n")
        form.append(InputStream(data: Data()), withLength: 5, headers: [:])
        #expect(multipartReason { try form.writeEncodedData(to: output) } != nil)
        #expect(!FileManager.default.fileExists(atPath: output.path))
    }

    @Test func outputIsReadableByItsOwnerOnly() throws {
        form.append(Data("x".utf8), withName: "n")
        try form.writeEncodedData(to: output)
        let attributes = try FileManager.default.attributesOfItem(atPath: output.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
}
