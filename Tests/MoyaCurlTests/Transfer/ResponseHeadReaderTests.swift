#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct ResponseHeadReaderTests {
    @Test func fieldsArriveInOrderWithSpellingAndDuplicates() async throws {
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\nB: 1\r\na: 2\r\nb: 3\r\nContent-Length: 0\r\n\r\n")
        #expect(
            answer.head?.fields == [
                HTTPField(name: "B", value: "1"), HTTPField(name: "a", value: "2"), HTTPField(name: "b", value: "3"),
                HTTPField(name: "Content-Length", value: "0"),
            ])
    }

    @Test(arguments: [200, 201, 299, 301, 302, 304, 400, 401, 404, 418, 500, 503, 599, 600, 799, 999])
    func everyFinalStatusIsReported(_ status: Int) async throws {
        let answer = try await recording(of: "HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n")
        #expect(answer.head?.status == status)
        #expect(answer.failure == nil)
    }

    @Test(arguments: ["http/1.1 200 OK", "HTTP/1.1 20 OK", "HTTP/1.1\t20\tOK", "HTTP/1.1 2x0 OK"])
    func aBodyAfterAStatusLineThatIsNoneIsNotDelivered(_ line: String) async throws {
        // The rest of the body never comes: nothing but the first bytes can end the exchange.
        let server = try await LoopbackServer { exchange in
            try await exchange.discardBody()
            try await exchange.send(raw: Array("\(line)\r\nContent-Length: 1000000\r\n\r\nhello".utf8))
            try await exchange.stallUntilClosed()
        }
        let answer = try await CurlTransport.separate().run(server.request(timeouts: .init(total: 60)))
        #expect(answer.failure?.kind == .protocolViolation)
        #expect(answer.body.isEmpty)
    }

    @Test(arguments: ["HTTP/2 200", "HTTP/3 200", "HTTP/3.0 200"])
    func aResponseThatClaimsAnotherVersionThanTheConnectionsIsRefused(line: String) async throws {
        let answer = try await recording(of: "\(line) OK\r\nContent-Length: 2\r\n\r\nok")
        #expect(answer.failure?.kind == .protocolViolation)
        #expect(answer.head == nil)
    }

    @Test func redirectIsReportedWithoutBeingFollowed() async throws {
        let server = try await LoopbackServer { try await $0.respond(302, ["Location": "/elsewhere"]) }
        let answer = try await CurlTransport.separate().run(server.request())
        #expect(answer.head?.status == 302)
        #expect(server.requestCount == 1)
    }

    @Test(arguments: ["HTTP/1.1 200\r\n", "HTTP/1.1 200 \r\n"])
    func aStatusLineNeedsNoReason(_ line: String) async throws {
        let answer = try await recording(of: line + "Content-Length: 2\r\n\r\nok")
        #expect(answer.head?.status == 200)
        #expect(answer.text == "ok")
    }

    @Test func aReasonMayHoldAnyText() async throws {
        let answer = try await recording(of: "HTTP/1.1 200 All: is ... völlig gut\r\nContent-Length: 2\r\n\r\nok")
        #expect(answer.head?.status == 200)
        #expect(answer.head?.fields.count == 1)
    }

    @Test func theVersionIsReported() async throws {
        #expect(try await recording(of: "HTTP/1.0 200 OK\r\n\r\nold").head?.version == "HTTP/1.0")
        #expect(try await recording(of: "HTTP/1.1 200 OK\r\n\r\nnew").head?.version == "HTTP/1.1")
    }

    @Test func bytesThatAreNotUTF8AreReadAsLatin1() async throws {
        let answer = try await recording(
            ofBytes: Array("HTTP/1.1 200 OK\r\nA: caf".utf8) + [0xE9] + Array("\r\nContent-Length: 0\r\n\r\n".utf8))
        #expect(answer.head?.value(for: "a") == "café")
    }

    @Test func bytesThatAreUTF8AreReadAsUTF8() async throws {
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\nA: café ☕️\r\nContent-Length: 0\r\n\r\n")
        #expect(answer.head?.value(for: "a") == "café ☕️")
    }

    @Test func aFieldMayBeEmpty() async throws {
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\nA:\r\nContent-Length: 0\r\n\r\n")
        #expect(answer.head?.value(for: "a") == "")
    }

    @Test func aValueLosesTheWhiteSpaceAroundIt() async throws {
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\nA: \t x  y \t\r\nContent-Length: 0\r\n\r\n")
        #expect(answer.head?.value(for: "a") == "x  y")
    }

    @Test func linesMayEndInALineFeedAlone() async throws {
        let answer = try await recording(of: "HTTP/1.1 200 OK\nA: 1\nContent-Length: 2\n\nok")
        #expect(answer.head?.value(for: "a") == "1")
        #expect(answer.text == "ok")
    }

    @Test func aHeadThatComesInPiecesIsWhole() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send("HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 2\r\n\r\nok".utf8, inPiecesOf: 1)
            exchange.close()
        }
        let answer = try await CurlTransport.separate().run(server.request())
        #expect(answer.head?.value(for: "a") == "b")
        #expect(answer.text == "ok")
    }

    @Test func aHeadReachesTheSinkBeforeItsBodyArrives() async throws {
        let gate = Gate()
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "2"])
            try await gate.wait()
            try await exchange.send("ok")
        }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request())
        try await running.sink.waitUntil { $0.head != nil }
        gate.open()
        #expect(try await running.sink.waitForEnd().text == "ok")
    }

    @Test func aHundredFieldsOfTwoKilobytesArrive() async throws {
        let value = String(repeating: "x", count: 2_000)
        let queues = (0..<100).map { "F\($0): \(value)\r\n" }.joined()
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\n\(queues)Content-Length: 0\r\n\r\n")
        #expect(answer.failure == nil)
        #expect(answer.head?.fields.filter { $0.value == value }.count == 100)
    }

    @Test func aFieldOfNinetyKilobytesArrives() async throws {
        let value = String(repeating: "x", count: 90_000)
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\nA: \(value)\r\nContent-Length: 0\r\n\r\n")
        #expect(answer.head?.value(for: "a") == value)
    }

    @Test func headersWithoutEndAreRefused() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(raw: "HTTP/1.1 200 OK\r\n")
            let line = "A: " + String(repeating: "x", count: 8_000) + "\r\n"
            while true { try await exchange.send(raw: line) }
        }
        let answer = try await CurlTransport.separate().run(server.request())
        #expect(answer.kind == .protocolViolation)
        #expect(answer.heads.isEmpty)
    }

    @Test(arguments: ["HTTP/1.1 500 X: y", "HTTP/2 404: z", "HTTP/1.1: 500 X", "HTTP/1.1:"])
    func aLineWithinAHeadReplacesNoStatus(_ line: String) async throws {
        let answer = try await recording(
            of: "HTTP/1.1 200 OK\r\nA: 1\r\n\(line)\r\nB: 2\r\nContent-Length: 2\r\n\r\nok")
        #expect(answer.head?.status == 200)
        #expect(answer.head?.fields.map(\.name) == ["A", "B", "Content-Length"])
        #expect(answer.text == "ok")
    }

    @Test(arguments: ["a\u{1}b", "a\u{1B}b", "a\u{7F}b"])
    func aControlCharacterInAValueIsASpace(_ value: String) async throws {
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\nA: \(value)\r\nContent-Length: 0\r\n\r\n")
        #expect(answer.head?.value(for: "a") == "a b")
    }

    /// libcurl may refuse either.
    @Test(arguments: ["\0", "\r"])
    func aNulOrCarriageReturnInAValueIsASpaceOrRefused(_ character: String) async throws {
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\nA: a\(character)b\r\nContent-Length: 0\r\n\r\n")
        #expect(answer.kind == .protocolViolation || answer.head?.value(for: "a") == "a b")
    }

    @Test func aBareCarriageReturnMakesNoField() async throws {
        let answer = try await recording(
            of: "HTTP/1.1 200 OK\r\nA: 1\rSet-Cookie: b=c\rContent-Length: 9\r\nContent-Length: 2\r\n\r\nok")
        #expect(answer.head?.value(for: "set-cookie") == nil)
        #expect(answer.kind == .protocolViolation || answer.text == "ok")
    }

    /// RFC 9112 section 5.2.
    @Test(arguments: [" ", "\t", "  \t "])
    func aFoldedLineContinuesTheOneBefore(_ space: String) async throws {
        let answer = try await recording(
            of: "HTTP/1.1 200 OK\r\nA: 1\r\n\(space)Set-Cookie: b=c\r\nContent-Length: 0\r\n\r\n")
        #expect(answer.head?.fields.map(\.name) == ["A", "Content-Length"])
        #expect(answer.head?.value(for: "a")?.hasPrefix("1 ") == true)
        #expect(answer.head?.value(for: "a")?.hasSuffix("Set-Cookie: b=c") == true)
        #expect(answer.head?.value(for: "set-cookie") == nil)
    }

    @Test(arguments: [
        "Content-Length : 2", "Content-Length\t: 2", "Transfer-Encoding : chunked", "Content-Length: 2\r\n 3",
    ])
    func framingThatCanBeReadInTwoWaysIsRefused(_ framing: String) async throws {
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\n\(framing)\r\n\r\nok")
        #expect(answer.kind == .protocolViolation)
        #expect(answer.heads.isEmpty)
    }

    /// libcurl 7.88 would not read such a body in chunks.
    @Test(arguments: ["\u{B}chunked", "\u{C}chunked", "chunked\u{1}"])
    func aControlCharacterBelongsToTheNameOfACoding(_ coding: String) async throws {
        let answer = try await recording(
            of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n2\r\nok\r\n0\r\n\r\n")
        #expect(answer.failure != nil)
        #expect(answer.text.isEmpty)
    }

    /// A libcurl that does not join the lines reads the length as an empty one, which the transport refuses.
    @Test func aFoldedLengthIsRefusedOrRead() async throws {
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\nContent-Length:\r\n 2\r\n\r\nok")
        if CurlVersion.loaded.joinsFoldedLines {
            #expect(answer.text == "ok")
            #expect(answer.head?.value(for: "content-length") == "2")
        } else {
            #expect(answer.kind == .protocolViolation)
            #expect(answer.heads.isEmpty)
        }
    }

    @Test(arguments: [": x", "A B: x", "A : x", "A(): x", "Ä: x"])
    func aFieldWhoseNameIsNoTokenIsLeftOut(_ line: String) async throws {
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 2\r\n\r\nok")
        #expect(answer.failure != nil || answer.head?.fields.map(\.name) == ["Content-Length"])
    }

    @Test func aHeadMayHaveAThousandFields() async throws {
        let queues = (1..<1_000).map { "F\($0): x\r\n" }.joined()
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\n\(queues)Content-Length: 0\r\n\r\n")
        #expect(answer.failure == nil)
        #expect(answer.head?.fields.count == 1_000)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n" + String(repeating: "A: x\r\n", count: 1_001) + "\r\n",
        "HTTP/1.1 200 OK\r\n" + String(repeating: "A: \(String(repeating: "x", count: 30_000))\r\n", count: 9) + "\r\n",
        String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 1_001) + "HTTP/1.1 200 OK\r\n\r\n",
        String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 12_000) + "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
            + String(repeating: "T: x\r\n", count: 1_001) + "\r\n",
    ])
    func headsBeyondTheirBoundsAreRefusedByName(_ head: String) async throws {
        let answer = try await recording(of: head)
        #expect(answer.kind == .protocolViolation)
        #expect(answer.failure?.message.contains("262144 bytes or 1000 fields") == true, "\(answer.failure as Any)")
    }

    @Test func interimResponsesComeBeforeTheHead() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(informational: 103, ["Link": "</a>"])
            try await exchange.send(informational: 103, ["Link": "</b>"])
            try await exchange.respond(body: "ok")
        }
        let answer = try await CurlTransport.separate().run(server.request())
        #expect(answer.informational.map { $0.value(for: "link") } == ["</a>", "</b>"])
        #expect(answer.informational.map(\.status) == [103, 103])
        #expect(answer.order == ["informational", "head", "chunk", "end"])
        #expect(answer.head?.status == 200)
        #expect(answer.head?.value(for: "link") == nil)
    }

    @Test(arguments: ["HTTP/1.1: x", "HTTP/1.1 500 No: a"])
    func trailersAreNoSecondHead(_ trailer: String) async throws {
        let answer = try await recording(
            of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nT: 1\r\n\(trailer)\r\n\r\n")
        #expect(answer.heads.count == 1)
        #expect(answer.text == "ok")
        #expect(answer.failure == nil)
    }

    @Test func trailersAreReadAsFieldsAre() async throws {
        let answer = try await recording(
            of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"
                + "T:  1 \r\nbad name: x\r\nU: a\u{1}b\r\n\r\n")
        #expect(answer.ends.first?.trailers == [HTTPField(name: "T", value: "1"), HTTPField(name: "U", value: "a b")])
    }

    @Test func remainingBytesOfOneAnswerAreNotPartOfTheNext() async throws {
        let server = try await LoopbackServer { exchange in
            if exchange.request.path == "/1" {
                try await exchange.respond(200, ["Content-Length": "2"], body: "okHTTP/1.1 500 X\r\n\r\nEXTRA")
            } else {
                try await exchange.respond(body: "clean")
            }
        }
        let transport = CurlTransport.separate()
        #expect(try await transport.run(server.request("GET", "/1")).text == "ok")
        let second = try await transport.run(server.request("GET", "/2"))
        #expect(second.head?.status == 200)
        #expect(second.text == "clean")
    }
}
#endif
