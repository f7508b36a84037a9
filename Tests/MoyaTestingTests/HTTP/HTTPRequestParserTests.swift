import Foundation
import Testing

@testable import MoyaTesting

@Suite struct HTTPRequestParserTests {
    private func parse(_ text: String) throws -> LoopbackRequest? {
        var parser = HTTPRequestParser()
        parser.append([UInt8](text.utf8))
        return try parser.nextHead()
    }

    private func body(of text: String) throws -> (body: String, parser: HTTPRequestParser) {
        var parser = HTTPRequestParser()
        parser.append([UInt8](text.utf8))
        _ = try parser.nextHead()
        var body: [UInt8] = []
        while let bytes = try parser.nextBodyBytes(atMost: 3), !bytes.isEmpty { body += bytes }
        return (String(decoding: body, as: UTF8.self), parser)
    }

    @Test func aRequestLineIsMethodTargetAndVersion() throws {
        let request = try #require(try parse("patch /a%20b?c=d?e HTTP/1.0\r\n\r\n"))
        #expect(request.method == "patch")
        #expect(request.target == "/a%20b?c=d?e")
        #expect(request.version == "HTTP/1.0")
    }

    @Test func pathAndQueryPartAtTheFirstQuestionMark() throws {
        let request = try #require(try parse("GET /a%20b?c=d?e HTTP/1.1\r\n\r\n"))
        #expect(request.path == "/a%20b")
        #expect(request.query == "c=d?e")
    }

    @Test func aTargetWithoutQuestionMarkHasNoQuery() throws {
        #expect(try parse("GET /a HTTP/1.1\r\n\r\n")?.query == nil)
    }

    @Test func fieldsKeepOrderSpellingAndDuplicates() throws {
        let request = try #require(try parse("GET / HTTP/1.1\r\nB: 1\r\na: 2\r\nb:3\r\n\r\n"))
        #expect(request.fields.map(\.description) == ["B: 1", "a: 2", "b: 3"])
    }

    @Test func aFieldValueLosesTheWhiteSpaceAroundIt() throws {
        #expect(try parse("GET / HTTP/1.1\r\na: \t x y \t\r\n\r\n")?.fields["a"] == "x y")
    }

    @Test func aFieldMayHaveNoValue() throws {
        #expect(try parse("GET / HTTP/1.1\r\na:\r\n\r\n")?.fields["a"] == "")
    }

    @Test func bytesThatAreNotUTF8AreReadAsLatin1() throws {
        var parser = HTTPRequestParser()
        parser.append([UInt8]("GET / HTTP/1.1\r\na: caf".utf8) + [0xE9] + [UInt8]("\r\n\r\n".utf8))
        #expect(try parser.nextHead()?.fields["a"] == "café")
    }

    @Test func linesMayEndInALineFeedAlone() throws {
        #expect(try parse("GET / HTTP/1.1\na: 1\n\n")?.fields["a"] == "1")
    }

    @Test func emptyLinesBeforeARequestAreSkipped() throws {
        #expect(try parse("\r\n\r\nGET / HTTP/1.1\r\n\r\n")?.method == "GET")
    }

    @Test func theHeadIsKeptAsItCame() throws {
        let text = "GET / HTTP/1.1\r\nA:  b\r\n\r\n"
        #expect(try parse(text + "rest")?.head == Data(text.utf8))
    }

    @Test func aHeadThatComesByteByByteIsWholeOnlyAtItsLastByte() throws {
        var parser = HTTPRequestParser()
        let bytes = [UInt8]("GET /x HTTP/1.1\r\nA: b\r\n\r\n".utf8)
        for byte in bytes.dropLast() {
            parser.append([byte])
            #expect(try parser.nextHead() == nil)
        }
        parser.append([bytes[bytes.count - 1]])
        #expect(try parser.nextHead()?.target == "/x")
    }

    @Test func aMegabyteOfHeaderIsRead() throws {
        let value = String(repeating: "x", count: 1 << 20)
        let bytes = [UInt8]("GET / HTTP/1.1\r\nA: \(value)\r\n\r\n".utf8)
        var parser = HTTPRequestParser()
        for start in stride(from: 0, to: bytes.count, by: 16_384) {
            #expect(try parser.nextHead() == nil)
            parser.append([UInt8](bytes[start..<min(start + 16_384, bytes.count)]))
        }
        #expect(try parser.nextHead()?.fields["A"] == value)
    }

    @Test(arguments: [
        "GET /\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1 x\r\n\r\n", "GET / FTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\n: x\r\n\r\n", "GET / HTTP/1.1\r\na : x\r\n\r\n",
        "GET / HTTP/1.1\r\na: x\r\n folded: y\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ])
    func aHeadThatBreaksTheRulesIsRefused(_ head: String) {
        #expect(throws: TestSupportError.self) { try parse(head) }
    }

    @Test(arguments: [
        "GET /?access_token=hunter2\r\n\r\n", "GET / HTTP/1.1\r\nAuthorization Bearer hunter2\r\n\r\n",
        "GET / HTTP/1.1\r\n: hunter2\r\n\r\n", "GET / HTTP/1.1\r\nAuthorization : Bearer hunter2\r\n\r\n",
        "GET / HTTP/1.1\r\nCookie: a=b;\r\n c=hunter2:\r\n\r\n",
    ])
    func anErrorContainsNoSecretOfTheHead(_ head: String) {
        let error = #expect(throws: TestSupportError.self) { try parse(head) }
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test func anErrorNamesTheFieldThatBreaksTheRules() {
        let error = #expect(throws: TestSupportError.self) {
            try parse("GET / HTTP/1.1\r\nAuthorization : Bearer hunter2\r\n\r\n")
        }
        #expect(error?.description.contains("'Authorization'") == true)
    }

    @Test func aRequestWithoutFramingHasNoBody() throws {
        var parser = HTTPRequestParser()
        parser.append([UInt8]("POST / HTTP/1.1\r\n\r\n".utf8))
        _ = try parser.nextHead()
        #expect(try parser.nextBodyBytes(atMost: 9) == [])
    }

    @Test func aBodyEndsAfterItsContentLength() throws {
        #expect(try body(of: "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello, more").body == "hello")
    }

    @Test func bodyComesInPiecesNoLargerThanRequested() throws {
        var parser = HTTPRequestParser()
        parser.append([UInt8]("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello".utf8))
        _ = try parser.nextHead()
        #expect(try parser.nextBodyBytes(atMost: 4) == [UInt8]("hell".utf8))
        #expect(try parser.nextBodyBytes(atMost: 4) == [UInt8]("o".utf8))
        #expect(try parser.nextBodyBytes(atMost: 4) == [])
    }

    @Test func aBodyThatIsNotThereYetNeedsMoreBytes() throws {
        var parser = HTTPRequestParser()
        parser.append([UInt8]("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n".utf8))
        _ = try parser.nextHead()
        #expect(try parser.nextBodyBytes(atMost: 4) == nil)
    }

    private let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n"

    @Test func chunksAreJoined() throws {
        let chunks = "5;x=y\r\nhello\r\nB\r\n, wide worl\r\n1\r\nd\r\n0\r\n\r\n"
        #expect(try body(of: chunked + chunks).body == "hello, wide world")
    }

    @Test func chunkedCodingOverridesContentLength() throws {
        let head = "POST / HTTP/1.1\r\nContent-Length: 90\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(try body(of: head + "2\r\nok\r\n0\r\n\r\n").body == "ok")
    }

    @Test func trailersAreReadAfterTheLastChunk() throws {
        let parser = try body(of: chunked + "1\r\nx\r\n0\r\nA: 1\r\na: 2\r\n\r\n").parser
        #expect(parser.trailers.map(\.description) == ["A: 1", "a: 2"])
        #expect(parser.isBetweenRequests)
    }

    @Test func chunksThatComeByteByByteAreJoined() throws {
        var parser = HTTPRequestParser()
        var received: [UInt8] = []
        for byte in (chunked + "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n").utf8 {
            parser.append([byte])
            if parser.phase == .head { _ = try parser.nextHead() }
            while parser.phase != .head, let bytes = try parser.nextBodyBytes(atMost: 9) {
                received += bytes
            }
        }
        #expect(String(decoding: received, as: UTF8.self) == "hello")
        #expect(parser.isBetweenRequests)
    }

    @Test(arguments: ["x\r\n", "\r\n", "-1\r\n", "1\r\nab\r\n"])
    func aChunkThatBreaksTheRulesIsRefused(_ chunk: String) {
        #expect(throws: TestSupportError.self) { try body(of: chunked + chunk) }
    }

    @Test func aSecondRequestFollowsTheFirstOnesBody() throws {
        var parser = HTTPRequestParser()
        parser.append([UInt8]("POST /1 HTTP/1.1\r\nContent-Length: 1\r\n\r\nxGET /2 HTTP/1.1\r\n\r\n".utf8))
        _ = try parser.nextHead()
        _ = try parser.nextBodyBytes(atMost: 9)
        #expect(try parser.nextHead()?.target == "/2")
    }
}
