#if os(Linux)
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct ContentDecodingTests {
    static let text = String(repeating: "the same bytes, ", count: 4) + "and no others"
    static let encoded: [String: Data] = [
        "gzip": "H4sIAAAAAAACAyvJSFUoTsxNVUiqLEkt1lEoIZGfmJeikJevkA8ULyoGADbdewFNAAAA",
        "deflate": "eJwryUhVKE7MTVVIqixJLdZRKCGRn5iXopCXr5APFC8qBgAmkBtO",
        "br": "G0wA+I1Utb8GEZvLkyxldF3IIYzYowf4BJmSmLn6BbiREA==",
        "zstd": "KLUv/QRYJQEA6HRoZSBzYW1lIGJ5dGVzLCBhbmQgbm8gb3RoZXJzAQCaaC4B7MDocA==",
    ].mapValues { Data(base64Encoded: $0) ?? Data() }
    /// Without zlib's wrapper, as many servers send deflate.
    static let rawDeflate = Data(base64Encoded: "K8lIVShOzE1VSKosSS3WUSghkZ+Yl6KQl6+QDxQvKgYA") ?? Data()

    private func answer(_ coding: String, _ body: Data) async throws -> HeardEvents {
        let server = try await LoopbackServer { try await $0.respond(200, ["Content-Encoding": coding], body: body) }
        return try await CurlTransport.separate().run(server.request())
    }

    @Test(arguments: ["gzip", "deflate", "br", "zstd"])
    func aCodingIsRemoved(_ coding: String) async throws {
        let answer = try await answer(coding, try #require(Self.encoded[coding]))
        #expect(answer.text == Self.text)
        #expect(answer.failure == nil)
    }

    /// As within another coding, of which many small pieces make no bytes.
    @Test(arguments: ["gzip", "br", "zstd"]) func stepsWithoutInputHarmNoCoding(_ coding: String) throws {
        let head = TransportResponseHead(status: 200, fields: [HTTPField(name: "Content-Encoding", value: coding)])
        let decoder = try #require(try ContentDecoder.make(for: head))
        var text = ""
        for byte in try #require(Self.encoded[coding]) {
            try withUnsafeBytes(of: byte) { bytes in
                var input = bytes
                for _ in 0..<40 {
                    decoder.beginStep()
                    while let piece = try decoder.next(&input) { text += String(decoding: piece, as: UTF8.self) }
                }
            }
        }
        #expect(text == Self.text)
    }

    @Test(arguments: ["x-gzip", "GZip"])
    func aCodingIsKnownByItsOtherSpellings(_ coding: String) async throws {
        #expect(try await answer(coding, try #require(Self.encoded["gzip"])).text == Self.text)
    }

    @Test func deflateWithoutItsWrappingIsRemovedToo() async throws {
        #expect(try await answer("deflate", Self.rawDeflate).text == Self.text)
    }

    @Test func aCodingIsRemovedFromAChunkedBodyByteByByte() async throws {
        let body = try #require(Self.encoded["gzip"])
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Encoding": "gzip", "Transfer-Encoding": "chunked"])
            for byte in body { try await exchange.sendChunk([byte]) }
            try await exchange.endChunks()
        }
        #expect(try await CurlTransport.separate().run(server.request()).text == Self.text)
    }

    @Test func identityIsNotACoding() async throws {
        #expect(try await answer("identity", Data("plain".utf8)).text == "plain")
    }

    @Test func fieldsStillNameTheCoding() async throws {
        let body = try #require(Self.encoded["gzip"])
        let answer = try await answer("gzip", body)
        #expect(answer.head?.value(for: "content-encoding") == "gzip")
        #expect(answer.head?.contentLength == Int64(body.count))
    }

    @Test(arguments: ["gzip", "deflate", "br", "zstd"])
    func bytesOfAnotherEncodingFailToDecode(_ coding: String) async throws {
        let answer = try await answer(coding, Data("this is certainly no compressed data at all".utf8))
        #expect(answer.kind == .contentDecoding)
        #expect(answer.head?.status == 200)
    }

    @Test(arguments: ["gzip", "deflate", "br", "zstd"])
    func anEncodedBodyCutShortWithinAWholeAnswerFailsToDecode(_ coding: String) async throws {
        let body = try #require(Self.encoded[coding])
        let answer = try await answer(coding, body.prefix(body.count / 2))
        #expect(answer.kind == .contentDecoding)
    }

    @Test(arguments: ["gzip", "deflate", "br", "zstd"])
    func everyPrefixOfAnEncodedBodyFailsToDecode(_ coding: String) async throws {
        let body = try #require(Self.encoded[coding])
        let server = try await LoopbackServer { exchange in
            let length = Int(exchange.request.path.dropFirst()) ?? 0
            try await exchange.respond(200, ["Content-Encoding": coding], body: body.prefix(length))
        }
        let transport = CurlTransport.separate()
        for length in 1..<body.count {
            let answer = try await transport.run(server.request("GET", "/\(length)"))
            #expect(answer.kind == .contentDecoding, "\(length) of \(body.count) bytes")
        }
        #expect(try await transport.run(server.request("GET", "/\(body.count)")).text == Self.text)
    }

    /// A seeded hundred of bytes changed: an error, or bytes, and never a crash or a hang.
    @Test(arguments: ["gzip", "deflate", "br", "zstd"])
    func aDamagedBodyEndsTheCall(_ coding: String) async throws {
        let body = try #require(Self.encoded[coding])
        let server = try await LoopbackServer { exchange in
            var generator = SeededGenerator(seed: UInt64(exchange.request.path.dropFirst()) ?? 0)
            var damaged = body
            damaged[Int.random(in: 0..<body.count, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
            try await exchange.respond(200, ["Content-Encoding": coding], body: damaged)
        }
        let transport = CurlTransport.separate()
        for seed in 1...100 {
            let answer = try await transport.run(server.request("GET", "/\(seed)"))
            #expect(answer.failure == nil || answer.kind == .contentDecoding)
        }
    }

    @Test(arguments: ["UTF-8", "binary", "aws-chunked", "compress", "gzip, x-unheard-of", "x-unheard-of, gzip", "none"])
    func anUnknownCodingIsDeliveredAsItCame(_ coding: String) async throws {
        let answer = try await answer(coding, Data("as it came".utf8))
        #expect(answer.failure == nil)
        #expect(answer.text == "as it came")
        #expect(answer.head?.value(for: "content-encoding") == coding)
    }

    @Test(arguments: ["gzip, identity", "identity,gzip", " gzip ", "gzip,"])
    func aListWithOneCodingIsDecoded(_ list: String) async throws {
        #expect(try await answer(list, try #require(Self.encoded["gzip"])).text == Self.text)
    }

    /// deflate around brotli, made by hand: one stored block (RFC 1951 section 3.2.4).
    @Test func severalCodingsAreRemovedInReverse() async throws {
        let inner = try #require(Self.encoded["br"])
        let length = UInt16(inner.count)
        let header = [1, UInt8(length & 0xFF), UInt8(length >> 8), UInt8(~length & 0xFF), UInt8(~length >> 8)]
        let body = Data(header) + inner
        #expect(try await answer("br, deflate", body).text == Self.text)
        #expect(try await answer("br, deflate", body.dropLast()).kind == .contentDecoding)
    }

    @Test func moreThanFiveCodingsAreRefused() async throws {
        let answer = try await answer(Array(repeating: "gzip", count: 6).joined(separator: ", "), Data([1]))
        #expect(answer.kind == .contentDecoding)
    }

    /// RFC 1952 section 2.2.
    @Test func severalMembersOfGzipAreOneBody() async throws {
        let member = try #require(Self.encoded["gzip"])
        #expect(try await answer("gzip", member + member).text == Self.text + Self.text)
        #expect(try await answer("gzip", member + member.dropLast()).kind == .contentDecoding)
    }

    @Test func gzipEndsWhereItsPaddingBegins() async throws {
        let member = try #require(Self.encoded["gzip"])
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Encoding": "gzip", "Transfer-Encoding": "chunked"])
            try await exchange.sendChunk(member + [0, 0])
            try await exchange.sendChunk(member)
            try await exchange.endChunks()
        }
        let answer = try await CurlTransport.separate().run(server.request())
        #expect(answer.text == Self.text)
        #expect(answer.failure == nil)
    }

    @Test func severalFramesOfZstdAreOneBody() async throws {
        let frame = try #require(Self.encoded["zstd"])
        #expect(try await answer("zstd", frame + frame).text == Self.text + Self.text)
    }

    @Test func aPartOfAnEncodedBodyNeedNotReachItsEnd() async throws {
        let body = try #require(Self.encoded["gzip"])
        let server = try await LoopbackServer { exchange in
            try await exchange.respond(
                206, ["Content-Encoding": "gzip", "Content-Range": "bytes 0-39/\(body.count)"], body: body.prefix(40))
        }
        let answer = try await CurlTransport.separate().run(server.request())
        #expect(answer.failure == nil)
        #expect(Self.text.hasPrefix(answer.text))
    }

    /// Every chunk makes its reader pause: bytes that are offered again are not decoded twice.
    @Test func aReaderThatPausesAtEveryChunkReceivesTheBodyOnce() async throws {
        let size = 1 << 20
        // Stored blocks of 60,000 bytes.
        let plain = unlikeBytes(size)
        var body = Data()
        for start in stride(from: 0, to: size, by: 60_000) {
            let piece = plain[start..<min(start + 60_000, size)]
            let length = UInt16(piece.count)
            body += [start + 60_000 >= size ? 1 : 0, UInt8(length & 0xFF), UInt8(length >> 8)]
            body += [UInt8(~length & 0xFF), UInt8(~length >> 8)]
            body += piece
        }
        let coded = body
        let server = try await LoopbackServer {
            try await $0.respond(200, ["Content-Encoding": "deflate"], body: coded)
        }
        let transport = CurlTransport.separate()
        let sink = ListeningSink { $0.order.last == "chunk" ? .wait : .more }
        let running = transport.begin(server.request(), sink: sink)
        var heard = 0
        while sink.heard.ends.isEmpty {
            let known = heard
            heard = try await sink.waitUntil { $0.chunkCount > known || !$0.ends.isEmpty }.chunkCount
            running.handle.resume()
        }
        #expect(sink.heard.failure == nil)
        #expect(sink.heard.body == plain)
    }

    /// Forty thousand zeros, more than a decoder returns at once, and a block of an undefined type (RFC 1951 section
    /// 3.2.3).
    private static let damagedZeros = Data(
        base64Encoded: "7MExAQAAAMKg9U/tZQugAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAGwAAAP//Bw==")

    /// libcurl offers the bytes again within the call that resumes the exchange, and watches nothing after their error.
    @Test(arguments: ["head", "chunk"])
    func damagedBytesAfterAPauseFailToDecode(_ event: String) async throws {
        let body = try #require(Self.damagedZeros)
        let server = try await LoopbackServer { try await $0.respond(200, ["Content-Encoding": "deflate"], body: body) }
        let transport = CurlTransport.separate()
        let sink = ListeningSink { $0.order.last == event ? .wait : .more }
        let running = transport.begin(server.request(), sink: sink)
        try await sink.waitUntil { $0.order.last == event }
        try await transport.settle()
        running.handle.resume()
        #expect(try await sink.waitForEnd().kind == .contentDecoding)
    }

    /// 256 MiB of zeros, coded twice.
    private static let zeros = Data(
        base64Encoded: """
            H4sIAAAAAAACA+3coW5TcRyG4ZZVNIiuCBQCxBRhaqamCRg0gmmyC+ASljVZUJjdxPTUFIa53cE2twsgCEJQZIVW7hLO+zzq6J/6
            58vJ+/LrdLTxZOfH1Xj8/2N19nDxc/p0BAAAAAzc6u50ZzMGjF6tb95/OAQAAACG7mh3NtmOAn8/vXjnHAAAADB4X5aL+fYPgV8n
            nyfOAQAAAIP3/M/92+0WcL2+fPbRPQAAAGDwbgUDAAAAIEUwAAAAAFoEAwAAAKBFMAAAAABiBAMAAACgRTAAAAAAWgQDAAAAoEUw
            AAAAAGIEAwAAAKBFMAAAAABaBAMAAACgRTAAAAAAYgQDAAAAoEUwAAAAAFoEAwAAAKBFMAAAAABiBAMAAACgRTAAAAAAWgQDAAAA
            oEUwAAAAAGIEAwAAAKBFMAAAAABaBAMAAACgRTAAAAAAYgQDAAAAoEUwAAAAAFoEAwAAAKBFMAAAAABiBAMAAACgRTAAAAAAWgQD
            AAAAoEUwAAAAAGIEAwAAAKBFMAAAAABaBAMAAACgRTAAAAAAYgQDAAAAoEUwAAAAAFoEAwAAAKBFMAAAAABiBAMAAACgRTAAAAAA
            WgQDAAAAoEUwAAAAAGIEAwAAAKBFMAAAAABaBAMAAACgRTAAAAAAYgQDAAAAoEUwAAAAAFoEAwAAAKBFMAAAAABiBAMAAACgRTAA
            AAAAWgQDAAAAoEUwAAAAAGIEAwAAAKBFMAAAAABazpeLvc0WMP+9vjx4MwIAeOT7/rfj2evNc+EfhMX0qkb7AwA=
            """, options: .ignoreUnknownCharacters)
    /// 250 MiB of empty blocks, which code no byte (RFC 1951 section 3.2.4), coded twice.
    private static let emptyBlocks = Data(
        base64Encoded: """
            H4sIAAAAAAACA+3dMUtrZxzH8WgP9GRIqnG4BSM1GHDtJClZgg46+RY00C224JJCF0OQiBQk3QpF2jdwSTpYunmDFuzcwZBCoVYo
            BV3cBK9POedNFB4+fz7Dmb/rj8PzyTdpIbv5Dx6uJ8XCp2nhp/4PX/71rvz2rvrZL5+//+rXP0sF55xzzjnnnHPOOeecc87FdO/G
            SydJ9tF6vewe7//x8xcAAAAAAEBc2uvlYjYG9F6OHtOJIAAAAAAAEJ2r3Wol/0fgOcwW+4IAAAAAAEB0BueNej4GPIWLtUQQAAAA
            AACITql5uJOPAfehs50KAgAAAAAA0Vnu3g3zMeAm3J4tHAgCAAAAAACx2Xi4rs1lY8AwjFZqU0EAAAAAACA609Ot+WwMWA17zc2x
            IAAAAAAAEJ3x0kmSjQGt18vu8b4gAAAAAAAQnfZ6uZiNAb2Xo8d0IggAAAAAAETnardayV8Qfg6zxb4gAAAAAAAQncF5o56PAU/h
            Yi0RBAAAAAAAolNqHu7kY8B96GynggAAAAAAQHSWu3fDfAy4CbdnCweCAAAAAABAbDYermtz2RgwDKOV2lQQAAAAAACIzvR0az4b
            A1bDXnNzLAgAAAAAAERnvHSSZGNA6/Wye7wvCAAAAAAARKe9Xi5mY0Dv5egxnQgCAAAAAADRudqtVvIXhJ/DbLEvCAAAAAAARGdw
            3qjnY8BTuFhLBAEAAAAAgOiUmoc7+RhwHzrbqSAAAAAAABCd5e7dMB8DbsLt2cKBIAAAAAAAEJuNh+vaXDYGDMNopTYVBAAAAAAA
            ojM93ZrPxoDVsNfcHAsCAAAAAADRGS+dJNkY0Hq97B7vCwIAAAAAANFpr5eL2RjQezl6TCeCAAAAAABAdK52q5X8BeHnMFvsCwIA
            AAAAANEZnDfq+RjwFC7WEkEAAAAAACA6pebhTj4G3IfOdioIAAAAAABEZ7l7N8zHgJtwe7ZwIAgAAAAAAMRm4+G6NpeNAcMwWqlN
            BQEAAAAAgOhMT7fmszFgNew1N8eCAAAAAABAdMZLJ0k2BrReL7vH+4IAAAAAAEB02uvlYjYG9F6OHtOJIAAAAAAAEJ2r3Wolf0H4
            OcwW+4IAAAAAAEB0BueNej4GPIWLtUQQAAAAAACITql5uJOPAfehs50KAgAAAAAA0Vnu3g3zMeAm3J4tHAgCAAAAAACx2Xi4rs1l
            Y8AwjFZqU0EAAAAAACA609Ot+WwMWA17zc2xIAAAAAAAEJ3x0kmSjQGt18vu8b4gAAAAAAAQnfZ6uZiNAb2Xo8d0IggAAAAAAETn
            ardayV8Qfg6zxb4gAAAAAAAQncF5o56PAU/hYi0RBAAAAAAAolNqHu7kY8B96GynggAAAAAAQHSWu3fDfAy4CbdnCweCAAAAAABA
            bDYermtz2RgwDKOV2lQQAAAAAACIzvR0az4bA1bDXnNzLAgAAAAAAERnvHSSZGNA6/Wye7wvCAAAAAAARKe9Xi5mY0Dv5egxnQgC
            AAAAAADRudqtVvIXhJ/DbLEvCAAAAAAARGdw3qjnY8BTuFhLBAEAAAAAgOiUmoc7+RhwHzrbqSAAAAAAABCd5e7dMB8DbsLt2cKB
            IAAAAAAAEJuNh+vaXDYGDMNopTYVBAAAAAAAojM93ZrPxoDVsNfcHAsCAAAAAADRGS+dJNkY0Hq97B7vCwIAAAAAANFpr5eL2RjQ
            ezl6TCeCAAAAAABAdK52q5X8BeHnMFvsCwIAAAAAANEZnDfq+RjwFC7WEkEAAAAAACA6pebhTj4G3IfOdioIAAAAAABE5/vu39Ok
            UBi0P34f/m399ubbD9uF/+u+++frvcLo7Xe/vyn8+NF/oscO69nTBQA=
            """, options: .ignoreUnknownCharacters)

    /// All bytes of the bomb arrive at once.
    @Test(arguments: [("gzip, gzip", zeros), ("gzip, gzip, gzip", emptyBlocks)])
    func aBodyThatExpandsDelaysNoOther(coding: String, bomb: Data?) async throws {
        let bomb = try #require(bomb)
        let server = try await LoopbackServer { exchange in
            let fields: LoopbackFields = exchange.request.path == "/bomb" ? ["Content-Encoding": coding] : [:]
            try await exchange.respond(200, fields, body: bomb)
        }
        let transport = CurlTransport.separate()
        let other = ListeningSink()
        let sink = ListeningSink(keepsBody: false) { recording in
            if recording.order == ["head"] { _ = transport.begin(server.request(), sink: other) }
            return .more
        }
        let running = transport.begin(server.request("GET", "/bomb"), sink: sink)
        _ = try await other.waitForEnd()
        #expect(sink.heard.ends.isEmpty)
        running.handle.cancel()
        #expect(try await sink.waitForEnd().kind == .cancelled)
    }

    @Test func aCancelledExchangeDecodesLittleMore() async throws {
        let bomb = try #require(Self.zeros)
        let server = try await LoopbackServer {
            try await $0.respond(200, ["Content-Encoding": "gzip, gzip"], body: bomb)
        }
        let exchange = ExchangeBox()
        let sink = ListeningSink(keepsBody: false) { recording in
            if recording.chunkCount == 1 { exchange.cancel() }
            return recording.order.last == "head" ? .wait : .more
        }
        let transport = CurlTransport.separate()
        let running = transport.begin(server.request(), sink: sink)
        exchange.hold(running.handle)
        try await sink.waitUntil { !$0.heads.isEmpty }
        running.handle.resume()
        let recording = try await sink.waitForEnd()
        #expect(recording.kind == .cancelled)
        // 4 MiB in pieces of 32 KiB.
        #expect(recording.chunkCount <= 128)
    }

    @Test func aDamagedChecksumFailsToDecode() async throws {
        var body = try #require(Self.encoded["gzip"])
        body[body.count - 6] ^= 0xFF
        #expect(try await answer("gzip", body).kind == .contentDecoding)
    }

    @Test func anEmptyEncodedBodyIsEmpty() async throws {
        let answer = try await answer("gzip", Data())
        #expect(answer.body.isEmpty)
        #expect(answer.failure == nil)
    }

    /// The end of the connection may have cut a body that states no length.
    @Test(arguments: ["gzip", "deflate", "br", "zstd"])
    func anEncodedBodyThatEndsBeforeItsFirstByteFailsToDecode(_ coding: String) async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(raw: "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n\r\n")
            exchange.close()
        }
        let answer = try await CurlTransport.separate().run(server.request())
        #expect(answer.kind == .contentDecoding)
        let head = try await CurlTransport.separate().run(server.request("HEAD"))
        #expect(head.failure == nil)
    }

    @Test func aCodingIsOfferedUnlessTheRequestSaysOtherwise() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let transport = CurlTransport.separate()
        _ = try await transport.run(server.request())
        _ = try await transport.run(server.request("GET", "/", [("Accept-Encoding", "x")]))
        let offers = server.requests.map { $0.fields.values(for: "accept-encoding") }
        #expect(offers.first?.first?.contains("gzip") == true)
        #expect(offers.last == ["x"])
    }
}
#endif
