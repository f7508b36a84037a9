import Foundation
import MoyaTesting
import MoyaTransport

extension TransportConformance {
    /// A text in the common content codings (RFC 9110 section 8.4.1).
    private static let text = String(repeating: "the same bytes, ", count: 4) + "and no others"
    static let coded: [String: Data] = [
        "gzip": "H4sIAAAAAAACAyvJSFUoTsxNVUiqLEkt1lEoIZGfmJeikJevkA8ULyoGADbdewFNAAAA",
        "deflate": "eJwryUhVKE7MTVVIqixJLdZRKCGRn5iXopCXr5APFC8qBgAmkBtO",
        // Without zlib's wrapper, as many servers send deflate.
        "raw deflate": "K8lIVShOzE1VSKosSS3WUSghkZ+Yl6KQl6+QDxQvKgYA",
        "br": "G0wA+I1Utb8GEZvLkyxldF3IIYzYowf4BJmSmLn6BbiREA==",
        "zstd": "KLUv/QRYJQEA6HRoZSBzYW1lIGJ5dGVzLCBhbmQgbm8gb3RoZXJzAQCaaC4B7MDocA==",
    ].mapValues { Data(base64Encoded: $0) ?? Data() }

    private static func heard(_ scene: ConformanceScene, _ coding: String, _ body: Data) async throws -> HeardEvents {
        let server = try await LoopbackServer { try await $0.respond(200, ["Content-Encoding": coding], body: body) }
        return try await scene.run(server.request())
    }

    static func addContentCodings(to list: inout BehaviorList) {
        list.startGroup("content codings")
        let named = [
            ("gzip", "gzip", "gzip"), ("x-gzip", "gzip", "x-gzip"), ("gzip in capitals", "gzip", "GZIP"),
            ("deflate with zlib's wrapping", "deflate", "deflate"),
            ("deflate without a wrapping", "raw deflate", "deflate"), ("br", "br", "br"), ("zstd", "zstd", "zstd"),
        ]
        for (what, body, coding) in named {
            list.add("\(what) is removed") { scene in
                let heard = try await heard(scene, coding, coded[body] ?? Data())
                try expectWhole(heard)
                try expect(heard.text, is: text, "the body")
            }
        }
        for coding in ["gzip", "deflate", "br", "zstd"] {
            list.add("\(coding) is removed from chunks of one byte") { scene in
                let server = try await LoopbackServer { exchange in
                    try await exchange.send(head: 200, ["Content-Encoding": coding, "Transfer-Encoding": "chunked"])
                    for byte in coded[coding] ?? Data() { try await exchange.sendChunk([byte]) }
                    try await exchange.endChunks()
                }
                try expect(try await scene.run(server.request()).text, is: text, "the body")
            }
            list.add("a body that is not in \(coding) fails to decode") { scene in
                let heard = try await heard(scene, coding, Data("this is certainly no compressed data".utf8))
                try expectFailure(heard, .contentDecoding)
                try expect(heard.head?.status, is: 200, "the status")
            }
            list.add("\(coding) that is cut short fails to decode") { scene in
                let body = coded[coding] ?? Data()
                try expectFailure(try await heard(scene, coding, body.prefix(body.count / 2)), .contentDecoding)
            }
        }
        list.add("gzip cut short by the connection is truncated, or fails to decode") { scene in
            let body = coded["gzip"] ?? Data()
            let server = try await LoopbackServer { exchange in
                try await exchange.send(head: 200, ["Content-Encoding": "gzip", "Content-Length": "\(body.count)"])
                try await exchange.send(body.prefix(20))
            }
            let heard = try await scene.run(server.request())
            try expect(heard.kind == .truncated || heard.kind == .contentDecoding, "it fails; it heard \(heard)")
        }
        list.add("a damaged checksum fails to decode") { scene in
            var body = coded["gzip"] ?? Data(count: 10)
            body[body.count - 6] ^= 0xFF
            try expectFailure(try await heard(scene, "gzip", body), .contentDecoding)
        }
        list.add("damaged bytes fail to decode after their reader has waited at the head") { scene in
            let server = try await LoopbackServer {
                try await $0.respond(200, ["Content-Encoding": "gzip"], body: Data(count: 100))
            }
            let sink = ListeningSink { $0.order == ["head"] ? .wait : .more }
            let running = scene.start(server.request(), sink)
            try await sink.waitUntil { $0.head != nil }
            try await scene.letTheTransportWork()
            running.handle.resume()
            try expectFailure(try await sink.waitForEnd(), .contentDecoding)
        }
        list.add("identity is not decoded") { scene in
            try expect(try await heard(scene, "identity", Data("plain".utf8)).text, is: "plain", "the body")
        }
        list.add("an unknown coding is delivered as it came") { scene in
            let heard = try await heard(scene, "x-unheard-of", Data("coded".utf8))
            try expectWhole(heard)
            try expect(heard.text, is: "coded", "the body, as it came")
            try expect(heard.head?.value(for: "content-encoding"), is: "x-unheard-of", "Content-Encoding")
        }
        list.add("an empty coded body is empty") { scene in
            let heard = try await heard(scene, "gzip", Data())
            try expectWhole(heard)
            try expect(heard.byteCount, is: 0, "the length of the body")
        }
        list.add("the fields keep the coding and the coded length") { scene in
            let body = coded["gzip"] ?? Data()
            let heard = try await heard(scene, "gzip", body)
            try expect(heard.head?.value(for: "content-encoding"), is: "gzip", "Content-Encoding")
            try expect(heard.head?.contentLength, is: Int64(body.count), "Content-Length")
        }
        list.add("a bomb comes in small pieces") { scene in
            let size = 32 << 20
            let bomb = zeros(size)
            let server = try await LoopbackServer {
                try await $0.respond(200, ["Content-Encoding": "deflate"], body: bomb)
            }
            let heard = try await scene.run(server.request(), ListeningSink(keepsBody: false))
            try expectWhole(heard)
            try expect(heard.byteCount >= size, "all of it comes; \(heard.byteCount) bytes did")
            try expect(heard.largestChunk <= 1 << 20, "no chunk is large; one has \(heard.largestChunk) bytes")
        }
        list.add("a bomb of a gigabyte waits for its reader, and ends when it is cancelled") { scene in
            let bomb = zeros(1 << 30)
            let server = try await LoopbackServer(.init(socketBuffer: 65_536)) { exchange in
                try await exchange.send(head: 200, ["Content-Encoding": "deflate", "Content-Length": "\(bomb.count)"])
                try await exchange.send(bomb)
            }
            let sink = ListeningSink(keepsBody: false) { $0.byteCount >= 1 << 20 ? .wait : .more }
            let running = scene.start(server.request(), sink)
            let before = try await sink.waitUntil { $0.byteCount >= 1 << 20 }
            try await scene.letTheTransportWork()
            try expect(sink.heard.byteCount, is: before.byteCount, "the number of bytes while the reader waits")
            running.handle.resume()
            try await sink.waitUntil { $0.byteCount > before.byteCount }
            running.handle.cancel()
            let heard = try await sink.waitForEnd()
            try expectFailure(heard, .cancelled)
            try expect(heard.byteCount < 8 << 20, "little of it comes; \(heard.byteCount) bytes did")
        }
    }

    /// At least that many zeros, compressed to a thousandth, without zlib's wrapper (RFC 1951).
    private static func zeros(_ count: Int) -> Data {
        var bits = DeflateBits()
        // A single final block with fixed codes: a zero, then copies of the previous 258 bytes.
        bits.append(0b1, count: 1)
        bits.append(0b01, count: 2)
        bits.appendCode(0b0011_0000, count: 8)
        // Eight copies take thirteen bytes in any position, so they are made once and repeated.
        let copies = (count / 258 / 8 + 1) * 8
        for _ in 0..<16 {
            bits.appendCode(0b1100_0101, count: 8)
            bits.appendCode(0, count: 5)
        }
        let period = bits.bytes.suffix(13)
        bits.bytes.reserveCapacity(copies / 8 * 13 + 32)
        for _ in 0..<(copies / 8) { bits.bytes += period }
        // The end of the block.
        bits.appendCode(0, count: 7)
        return Data(bits.flushed)
    }
}

/// Writes bits in deflate's order: the first in the lowest position (RFC 1951 section 3.1.1).
private struct DeflateBits {
    var bytes: [UInt8] = []
    private var open: UInt32 = 0
    private var openCount: UInt32 = 0

    /// Appends a number, least significant bit first.
    mutating func append(_ value: UInt32, count: UInt32) {
        for bit in 0..<count {
            open |= (value >> bit & 1) << openCount
            openCount += 1
            if openCount == 8 {
                bytes.append(UInt8(truncatingIfNeeded: open))
                open = 0
                openCount = 0
            }
        }
    }

    /// Appends a Huffman code, most significant bit first.
    mutating func appendCode(_ code: UInt32, count: UInt32) {
        for bit in (0..<count).reversed() { append(code >> bit & 1, count: 1) }
    }

    var flushed: [UInt8] { openCount == 0 ? bytes : bytes + [UInt8(truncatingIfNeeded: open)] }
}
