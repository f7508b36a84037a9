import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private func forged(
    file: String = "moya-download-abcdef", length: String = "5", url: String = "http://a.example/",
    fields: String = "[]", validator: String = #"\"v1\""#
) -> Data {
    Data(
        """
        {"url":"\(url)","fields":\(fields),"validator":"\(validator)","fileName":"\(file)","length":\(length)}
        """.utf8)
}

/// Forged resume data: nothing is sent for it, or written outside its folder.
@Suite struct ResumeDataTests {
    private func refusal(of data: Data) async -> (SessionError?, Int) {
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        let outcome = await session.download(resumingWith: data).outcome()
        if let file = outcome.fileURL { try? FileManager.default.removeItem(at: file) }
        return (outcome.error, transport.requests.count)
    }

    @Test(arguments: [
        Data(), Data("{}".utf8), Data("null".utf8), Data("[1]".utf8), Data([0xFF, 0xFE, 0]),
        Data(String(repeating: "[", count: 500).utf8),
        forged(length: "5, \"total\": -9223372036854775808"), forged(length: "5, \"total\": 4"),
        forged(validator: ""), forged(validator: " "), forged(validator: #"\"v1\"\r\nX: 1"#),
        forged(length: "0"), forged(length: "-5"), forged(length: "1e30"), forged(length: "\"5\""),
        forged(file: "../escaped"), forged(file: "moya-download-/../../escaped"), forged(file: "/etc/passwd"),
        forged(file: "other"), forged(file: ""), forged(file: "moya-download-a\\u0000b"),
        forged(file: "moya-download-/"),
    ])
    func malformedResumeDataIsADescribedError(data: Data) async {
        let (error, sent) = await refusal(of: data)
        #expect(error?.isCreateURLRequestError == true)
        #expect(error?.underlyingError as? ResumeDataError == .malformed)
        #expect(error?.localizedDescription.contains("resume data") == true)
        #expect(sent == 0)
    }

    @Test(arguments: ["file:///etc/passwd", "gopher://a.example/", "http:///x"])
    func aURLThatIsNotHTTPIsRefused(url: String) async {
        let (error, sent) = await refusal(of: forged(url: url))
        #expect(error?.isURLRequestValidationError == true)
        #expect(sent == 0)
    }

    @Test func aTagWithoutQuotesIsNoValidator() throws {
        let date = "Thu, 01 Jan 1970 00:00:00 GMT"
        let request = URLRequest(url: try #require(URL(string: "http://a.example/")))
        let file = URL(fileURLWithPath: "/tmp/moya-download-abcdef")
        func data(_ fields: [(String, String)]) -> ResumeData? {
            let head = TransportResponseHead(
                status: 200, fields: fields.map { HTTPField(name: $0.0, value: $0.1) })
            return ResumeData(of: request, head: head, file: file, length: 5)
        }
        #expect(data([("ETag", "v1"), ("Last-Modified", date)])?.validator == date)
        #expect(data([("ETag", "v1")]) == nil)
        #expect(data([("ETag", "\"v1\""), ("Last-Modified", date)])?.validator == "\"v1\"")
    }

    @Test(arguments: [
        ("", true), ("identity", true), ("aws-chunked", true), ("UTF-8", true), ("gzip, binary", true), ("gzip", false),
        ("identity, br", false), ("X-GZip", false), ("deflate, zstd", false),
    ])
    func onlyADecodedBodyCannotBeContinued(coding: String, isContinued: Bool) throws {
        let request = URLRequest(url: try #require(URL(string: "http://a.example/")))
        func head(_ status: Int, _ fields: [(String, String)]) -> TransportResponseHead {
            TransportResponseHead(
                status: status, fields: (fields + [("Content-Encoding", coding)]).map(HTTPField.init(name:value:)))
        }
        let file = URL(fileURLWithPath: "/tmp/moya-download-abcdef")
        let data = ResumeData(of: request, head: head(200, [("ETag", "\"v1\"")]), file: file, length: 5)
        #expect((data != nil) == isContinued)
        let rest = head(206, [("ETag", "\"v1\""), ("Content-Range", "bytes 5-9/10")])
        #expect((data?.lastByte(continuedBy: rest) == 9) == isContinued)
    }

    @Test(arguments: ["aws-chunked", "gzip, binary", "gzip"])
    func aBodyWithoutACodingIsNotContinuedInOne(coding: String) throws {
        let range = HTTPField(name: "Content-Range", value: "bytes 5-9/10")
        let rest = TransportResponseHead(
            status: 206, fields: [range, HTTPField(name: "Content-Encoding", value: coding)])
        #expect(try ResumeData(forged()).lastByte(continuedBy: rest) == nil)
    }

    @Test func aFieldWithALineBreakIsNotSent() async {
        let fields = #"[{"name":"X-A","value":"a\r\nX-Injected: b"}]"#
        let transport = StubbedTransport(.response(200))
        let session = Session.over(transport)
        let outcome = await session.download(resumingWith: forged(fields: fields)).outcome()
        // Refused, or dropped already by Foundation.
        #expect(outcome.error != nil || transport.requests.count == 1)
        for field in transport.requests.flatMap(\.fields) {
            #expect(field.value.utf8.allSatisfy { $0 != 13 && $0 != 10 })
        }
    }

    // On macOS, TMPDIR does not move the temporary directory.
    #if os(Linux)
    /// In a separate process, with its own temporary directory.
    @Test func aLinkInsteadOfTheFileIsNotFollowed() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryDirectoryOfThisProcess()
            let elsewhere = try TestDirectory()
            let victim = try elsewhere.file("victim", "precious")
            let link = temporary.url.appendingPathComponent("moya-download-abcdef")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: victim)
            let target = elsewhere.url.appendingPathComponent("target")
            let transport = SteppedTransport()
            let session = Session.over(transport)
            let download = session.download(resumingWith: forged()) { _, _ in (target, []) }.resume()
            // With a range or without: the link's target is never written, for any response.
            #expect(transport.exchanges[0].request.fields.allSatisfy { $0.name != "Range" })
            transport.exchanges[0].respond(200, [], "new")
            _ = await download.outcome()
            #expect(try String(contentsOf: victim, encoding: .utf8) == "precious")
            #expect(try String(contentsOf: target, encoding: .utf8) == "new")
        }
    }

    /// The same, with the link put there after the request was made.
    @Test func aLinkThatComesLaterIsNotFollowed() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryDirectoryOfThisProcess()
            let elsewhere = try TestDirectory()
            let victim = try elsewhere.file("victim", "precious")
            let file = temporary.url.appendingPathComponent("moya-download-abcdef")
            try Data("01234".utf8).write(to: file)
            let transport = SteppedTransport()
            let session = Session.over(transport)
            let download = session.download(resumingWith: forged()).resume()
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: victim)
            transport.exchanges[0].respond(206, [("Content-Range", "bytes 5-9/10")], "56789")
            let error = await download.outcome().error
            #expect((error?.underlyingError as? URLError)?.code == .cannotWriteToFile)
            #expect(try String(contentsOf: victim, encoding: .utf8) == "precious")
        }
    }
    #endif

    @Test func resumeDataGoesThroughItsForm() throws {
        var request = URLRequest.to("http://a.example/x")
        request.headers = ["X-Own": "1", "Range": "bytes=0-", "If-Range": "x", "Accept-Encoding": "gzip"]
        let head = TransportResponseHead(status: 200, fields: [HTTPField(name: "ETag", value: "\"v1\"")])
        let made = try #require(
            ResumeData(of: request, head: head, file: URL(fileURLWithPath: "/t/moya-download-a"), length: 5))
        let read = try ResumeData(#require(made.data))
        #expect(read == made)
        #expect(read.urlRequest.url == request.url)
        #expect(read.urlRequest.headers.dictionary == ["X-Own": "1"])
        #expect(read.fileName == "moya-download-a")
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", false), ("Sun, 06 Nov 1994 08:49:36 GMT", false),
        ("Sun, 06 Nov 1994 08:49:38 GMT", true), (nil, true), ("today", true),
    ])
    func aResourceThatMayHaveChangedInTheSameSecondIsNotResumed(date: String?, isResumed: Bool) {
        var fields = [HTTPField(name: "Last-Modified", value: "Sun, 06 Nov 1994 08:49:37 GMT")]
        if let date { fields.append(HTTPField(name: "Date", value: date)) }
        let head = TransportResponseHead(status: 200, fields: fields)
        let file = URL(fileURLWithPath: "/t/moya-download-a")
        #expect((ResumeData(of: .to("http://a.example/"), head: head, file: file, length: 5) != nil) == isResumed)
    }

    @Test func onlyAGETCanBeResumed() {
        let head = TransportResponseHead(status: 200, fields: [HTTPField(name: "ETag", value: "\"v1\"")])
        let file = URL(fileURLWithPath: "/t/moya-download-a")
        #expect(ResumeData(of: .to("http://a.example/", method: "POST"), head: head, file: file, length: 5) == nil)
        #expect(ResumeData(of: .to("http://a.example/"), head: head, file: file, length: 0) == nil)
    }
}
