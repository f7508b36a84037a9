#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing

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

    @Test func aRedirectIsReportedAndNotFollowed() async throws {
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

    @Test func aHeadReachesTheSinkBeforeTheBodyIsThere() async throws {
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
        let lines = (0..<100).map { "F\($0): \(value)\r\n" }.joined()
        let answer = try await recording(of: "HTTP/1.1 200 OK\r\n\(lines)Content-Length: 0\r\n\r\n")
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

    @Test func trailersAreNoSecondHead() async throws {
        let answer = try await recording(
            of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nT: 1\r\nHTTP/1.1: x\r\n\r\n")
        #expect(answer.heads.count == 1)
        #expect(answer.text == "ok")
        #expect(answer.failure == nil)
    }

    @Test func bytesLeftOverFromOneAnswerAreNotTakenForTheNext() async throws {
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
