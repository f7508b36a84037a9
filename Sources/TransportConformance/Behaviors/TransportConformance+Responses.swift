import Foundation
import MoyaTesting
import MoyaTransport

extension TransportConformance {
    static func addStatusLines(to list: inout BehaviorList) {
        list.startGroup("status lines")
        for status in [200, 201, 206, 299, 300, 301, 302, 307, 400, 401, 404, 407, 418, 500, 503, 599, 999] {
            list.add("the status \(status) is only reported") { scene in
                let server = try await LoopbackServer { exchange in
                    try await exchange.respond(
                        status,
                        [
                            "Location": "/elsewhere", "WWW-Authenticate": "Basic realm=\"x\"",
                            "Proxy-Authenticate": "Basic realm=\"x\"", "Retry-After": "0",
                        ],
                        body: "body")
                }
                let heard = try await scene.run(server.request())
                try expectWhole(heard)
                try expect(heard.head?.status, is: status, "the status")
                try expect(heard.text, is: "body", "the body")
                try expect(server.requestCount, is: 1, "the number of requests")
            }
        }
        for (what, fields) in [("no location", ""), ("an empty location", "Location:\r\n")] {
            list.add("a redirect with \(what) arrives whole") { scene in
                let heard = try await scene.heard(of: "HTTP/1.1 302 Found\r\n\(fields)Content-Length: 2\r\n\r\nok")
                try expectWhole(heard)
                try expect(heard.head?.status, is: 302, "the status")
                try expect(heard.text, is: "ok", "the body")
            }
        }
        for (what, line) in [("no reason and no space", "HTTP/1.1 200"), ("a space and no reason", "HTTP/1.1 200 ")] {
            list.add("a status line with \(what) is read") { scene in
                let heard = try await scene.heard(of: "\(line)\r\nContent-Length: 2\r\n\r\nok")
                try expectWhole(heard)
                try expect(heard.head?.status, is: 200, "the status")
                try expect(heard.text, is: "ok", "the body")
            }
        }
        list.add("a reason may be any text") { scene in
            let heard = try await scene.heard(of: "HTTP/1.1 200 All: is 404 völlig gut\r\nContent-Length: 2\r\n\r\nok")
            try expect(heard.head?.status, is: 200, "the status")
            try expect(heard.head?.fields.count, is: 1, "the number of fields")
        }
        list.add("HTTP/1.1 is reported as such") { scene in
            let heard = try await scene.heard(of: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            try expect(heard.head?.version, is: "HTTP/1.1", "the version")
        }
        list.add("HTTP/1.0 is reported as such") { scene in
            let heard = try await scene.heard(of: "HTTP/1.0 200 OK\r\n\r\nold")
            try expect(heard.head?.version, is: "HTTP/1.0", "the version")
            try expect(heard.text, is: "old", "the body")
        }
    }

    static func addResponseFields(to list: inout BehaviorList) {
        list.startGroup("response fields")
        list.add("fields arrive in order, with spelling and duplicates") { scene in
            let heard = try await scene.heard(
                of: "HTTP/1.1 200 OK\r\nB: 1\r\na: 2\r\nb: 3\r\nContent-Length: 0\r\n\r\n")
            try expect(
                heard.head?.fields.map { "\($0.name): \($0.value)" } ?? [],
                is: ["B: 1", "a: 2", "b: 3", "Content-Length: 0"], "the fields")
        }
        list.add("several Set-Cookie stay several") { scene in
            let heard = try await scene.heard(
                of: "HTTP/1.1 200 OK\r\nSet-Cookie: a=1, x\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n")
            try expect(heard.head?.values(for: "set-cookie") ?? [], is: ["a=1, x", "b=2"], "the values")
        }
        list.add("a field is found whatever its case") { scene in
            let heard = try await scene.heard(of: "HTTP/1.1 200 OK\r\nX-tEsT: 1\r\nContent-Length: 0\r\n\r\n")
            try expect(heard.head?.value(for: "x-TeSt"), is: "1", "the value")
        }
        for (what, written, value) in [
            ("an empty value", "A:", ""), ("a value of white space", "A: \t ", ""),
            ("no space after the colon", "A:b", "b"),
            ("white space around its value", "A: \t x  y \t", "x  y"), ("colons in its value", "A: b: c:", "b: c:"),
            ("a value in UTF-8", "A: café ☕️", "café ☕️"),
        ] {
            list.add("a field with \(what) is read") { scene in
                let heard = try await scene.heard(of: "HTTP/1.1 200 OK\r\n\(written)\r\nContent-Length: 0\r\n\r\n")
                try expectWhole(heard)
                try expect(heard.head?.value(for: "a"), is: value, "the value")
            }
        }
        list.add("bytes other than UTF-8 are read as Latin-1") { scene in
            let answer = Array("HTTP/1.1 200 OK\r\nA: caf".utf8) + [0xE9] + Array("\r\nContent-Length: 0\r\n\r\n".utf8)
            try expect(try await scene.heard(of: answer).head?.value(for: "a"), is: "café", "the value")
        }
        list.add("lines may end in LF alone") { scene in
            let heard = try await scene.heard(of: "HTTP/1.1 200 OK\nA: 1\nContent-Length: 2\n\nok")
            try expect(heard.head?.value(for: "a"), is: "1", "the value")
            try expect(heard.text, is: "ok", "the body")
        }
        list.add("a head that comes byte by byte is whole") { scene in
            let server = try await LoopbackServer { exchange in
                try await exchange.send("HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 2\r\n\r\nok".utf8, inPiecesOf: 1)
                exchange.close()
            }
            let heard = try await scene.run(server.request())
            try expect(heard.head?.value(for: "a"), is: "b", "the value")
            try expect(heard.text, is: "ok", "the body")
        }
        list.add("a hundred fields of two kilobytes arrive") { scene in
            let value = String(repeating: "x", count: 2_000)
            let lines = (0..<100).map { "F\($0): \(value)\r\n" }.joined()
            let heard = try await scene.heard(of: "HTTP/1.1 200 OK\r\n\(lines)Content-Length: 0\r\n\r\n")
            try expect(heard.head?.fields.count { $0.value == value }, is: 100, "the number of fields")
        }
        list.add("a field of sixty kilobytes arrives") { scene in
            let value = String(repeating: "x", count: 60_000)
            let heard = try await scene.heard(of: "HTTP/1.1 200 OK\r\nA: \(value)\r\nContent-Length: 0\r\n\r\n")
            try expect(heard.head?.value(for: "a")?.count, is: 60_000, "the value's length")
        }
        list.add("a header section without end is refused") { scene in
            let server = try await LoopbackServer { exchange in
                try await exchange.send(raw: "HTTP/1.1 200 OK\r\n")
                let line = "A: " + String(repeating: "x", count: 8_000) + "\r\n"
                while true { try await exchange.send(raw: line) }
            }
            let heard = try await scene.run(server.request())
            try expectFailure(heard, .protocolViolation)
            try expect(heard.heads.isEmpty, "no head is reported")
        }
    }

    static func addInterimResponses(to list: inout BehaviorList) {
        list.startGroup("interim responses")
        for status in [100, 102, 103, 199] {
            list.add("an unexpected \(status) is reported and is not the answer") { scene in
                let server = try await LoopbackServer { exchange in
                    try await exchange.send(informational: status, ["Link": "</a>"])
                    try await exchange.respond(body: "ok")
                }
                let heard = try await scene.run(server.request())
                try expectWhole(heard)
                try expect(heard.informational.map(\.status), is: [status], "the interim responses")
                try expect(heard.head?.status, is: 200, "the status")
                try expect(heard.text, is: "ok", "the body")
            }
        }
        list.add("several interim responses come in order, each with its own fields") { scene in
            let server = try await LoopbackServer { exchange in
                try await exchange.send(informational: 103, ["Link": "</a>"])
                try await exchange.send(informational: 103, ["Link": "</b>"])
                try await exchange.respond(body: "ok")
            }
            let heard = try await scene.run(server.request())
            try expect(heard.informational.map { $0.value(for: "link") }, is: ["</a>", "</b>"], "the fields")
            try expect(heard.head?.value(for: "link"), is: nil, "the field in the answer")
            try expect(heard.order, is: ["informational", "head", "chunk", "end"], "the events")
        }
        list.add("an interim response is reported while the answer is awaited") { scene in
            let gate = Gate()
            let server = try await LoopbackServer { exchange in
                try await exchange.send(informational: 103)
                try await gate.wait()
                try await exchange.respond()
            }
            let running = scene.start(server.request())
            try await running.sink.waitUntil { !$0.informational.isEmpty }
            gate.open()
            try expectWhole(try await running.sink.waitForEnd())
        }
        list.add("an interim response in the same write as the answer is reported") { scene in
            let heard = try await scene.heard(
                of: "HTTP/1.1 103 Early Hints\r\nA: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            try expect(heard.informational.map(\.status), is: [103], "the interim responses")
            try expect(heard.text, is: "ok", "the body")
        }
        list.add("an interim response and then nothing is not a response") { scene in
            let heard = try await scene.heard(of: "HTTP/1.1 103 Early Hints\r\n\r\n")
            try expect(heard.failure != nil && heard.heads.isEmpty, "the exchange fails; it heard \(heard)")
        }
    }

    static func addResponseBodies(to list: inout BehaviorList) {
        list.startGroup("response bodies")
        list.add("a body ends at its length") { scene in
            let server = try await LoopbackServer { try await $0.respond(body: "hello") }
            let heard = try await scene.run(server.request())
            try expect(heard.text, is: "hello", "the body")
            try expect(heard.order, is: ["head", "chunk", "end"], "the events")
        }
        list.add("an empty body makes no chunk") { scene in
            let server = try await LoopbackServer { try await $0.respond() }
            try expect(try await scene.run(server.request()).order, is: ["head", "end"], "the events")
        }
        list.add("a body without framing ends with the connection") { scene in
            let heard = try await scene.heard(of: "HTTP/1.1 200 OK\r\n\r\nuntil the end")
            try expectWhole(heard)
            try expect(heard.text, is: "until the end", "the body")
        }
        for status in [204, 304] {
            list.add("a \(status) ends at its head, whatever length it states") { scene in
                let server = try await LoopbackServer { try await $0.send(head: status, ["Content-Length": "5"]) }
                for _ in 0..<2 {
                    let heard = try await scene.run(server.request(timeouts: .init(total: 30)))
                    try expectWhole(heard)
                    try expect(heard.head?.status, is: status, "the status")
                    try expect(heard.byteCount, is: 0, "the length of the body")
                }
            }
            list.add("a \(status) ends at its head, though it says chunked") { scene in
                let server = try await LoopbackServer {
                    try await $0.send(head: status, ["Transfer-Encoding": "chunked"])
                }
                try expectWhole(try await scene.run(server.request(timeouts: .init(total: 30))))
            }
        }
        list.add("the answer to HEAD ends at its head, whatever length it states") { scene in
            let server = try await LoopbackServer { try await $0.respond(body: "five!") }
            for _ in 0..<2 {
                let heard = try await scene.run(server.request("HEAD", timeouts: .init(total: 30)))
                try expectWhole(heard)
                try expect(heard.head?.contentLength, is: 5, "the stated length")
                try expect(heard.byteCount, is: 0, "the length of the body")
            }
        }
        for (what, fields) in [
            ("chunked", ["Transfer-Encoding": "chunked"] as LoopbackFields),
            ("gzip", ["Content-Encoding": "gzip", "Content-Length": "50"]),
        ] {
            list.add("the answer to HEAD ends at its head, though it says \(what)") { scene in
                let server = try await LoopbackServer { try await $0.send(head: 200, fields) }
                try expectWhole(try await scene.run(server.request("HEAD", timeouts: .init(total: 30))))
            }
        }
        list.add("every byte value arrives") { scene in
            let bytes = Data((0...255).map { UInt8($0) })
            let server = try await LoopbackServer { try await $0.respond(body: bytes) }
            try expect(try await scene.run(server.request()).body, is: bytes, "the body")
        }
        list.add("sixteen megabytes arrive byte for byte, in pieces") { scene in
            let bytes = unlikeBytes(16 << 20)
            let server = try await LoopbackServer { try await $0.respond(body: bytes) }
            let heard = try await scene.run(server.request())
            try expect(heard.body == bytes, "the body is the same")
            try expect(heard.chunkCount > 1, "it comes in more than one chunk")
        }
        list.add("two thousand writes of one byte arrive byte for byte") { scene in
            let bytes = unlikeBytes(2_000)
            let server = try await LoopbackServer { exchange in
                try await exchange.send(head: 200, ["Content-Length": "2000"])
                try await exchange.send(bytes, inPiecesOf: 1)
            }
            try expect(try await scene.run(server.request()).body == bytes, "the body is the same")
        }
        list.add("bytes reach the sink as they arrive") { scene in
            let gate = Gate()
            let server = try await LoopbackServer { exchange in
                try await exchange.send(head: 200, ["Content-Length": "3"])
                for byte in "abc".utf8 {
                    try await exchange.send([byte])
                    try await gate.wait()
                }
            }
            let running = scene.start(server.request())
            for text in ["a", "ab", "abc"] {
                try await running.sink.waitUntil { $0.text == text }
                gate.open(times: 1)
            }
            try expectWhole(try await running.sink.waitForEnd())
        }
        list.add("two lengths that agree are one") { scene in
            let heard = try await scene.heard(of: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok")
            try expectWhole(heard)
            try expect(heard.text, is: "ok", "the body")
        }
    }

    static func addChunkedBodies(to list: inout BehaviorList) {
        list.startGroup("chunked bodies")
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        for (what, body) in [
            ("are joined", "2\r\nhe\r\n1\r\nl\r\n2\r\nlo\r\n0\r\n\r\n"),
            ("may have extensions", "2;a=b\r\nhe\r\n3;c=\"d;e\"\r\nllo\r\n0;f\r\n\r\n"),
            ("may have leading zeros in their sizes", "002\r\nhe\r\n0003\r\nllo\r\n000\r\n\r\n"),
            ("may have trailers", "5\r\nhello\r\n0\r\nT: 1\r\nU: 2\r\n\r\n"),
            ("may have a trailer that looks like a status line", "5\r\nhello\r\n0\r\nHTTP/1.1: 500 x\r\n\r\n"),
            ("may have a trailer that states a length", "5\r\nhello\r\n0\r\nContent-Length: 2\r\n\r\n"),
        ] {
            list.add("chunks \(what)") { scene in
                let heard = try await scene.heard(of: head + body)
                try expectWhole(heard)
                try expect(heard.text, is: "hello", "the body")
            }
        }
        for size in ["A", "a"] {
            list.add("a size may be written \(size)") { scene in
                let heard = try await scene.heard(of: head + "\(size)\r\n0123456789\r\n0\r\n\r\n")
                try expect(heard.text, is: "0123456789", "the body")
            }
        }
        list.add("chunks split at every byte are joined") { scene in
            let server = try await LoopbackServer { exchange in
                try await exchange.send((head + "2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nT: 1\r\n\r\n").utf8, inPiecesOf: 1)
                exchange.close()
            }
            try expect(try await scene.run(server.request()).text, is: "hello", "the body")
        }
        list.add("a chunked body without chunks is empty") { scene in
            try expect(try await scene.heard(of: head + "0\r\n\r\n").order, is: ["head", "end"], "the events")
        }
        list.add("four megabytes in chunks of unlike sizes arrive") { scene in
            let bytes = unlikeBytes(4 << 20)
            let server = try await LoopbackServer { exchange in
                try await exchange.send(head: 200, ["Transfer-Encoding": "chunked"])
                var start = 0
                var size = 1
                while start < bytes.count {
                    try await exchange.sendChunk(bytes[start..<min(start + size, bytes.count)])
                    start += size
                    size = size % 100_003 * 3 + 1
                }
                try await exchange.endChunks()
            }
            try expect(try await scene.run(server.request()).body == bytes, "the body is the same")
        }
        list.add("the connection is kept after trailers") { scene in
            let server = try await LoopbackServer { exchange in
                try await exchange.send(head: 200, ["Transfer-Encoding": "chunked"])
                try await exchange.sendChunk("hello")
                try await exchange.endChunks(trailers: ["T": "1"])
            }
            for _ in 0..<3 { try expect(try await scene.run(server.request()).text, is: "hello", "the body") }
            try expect(server.connectionCount, is: 1, "the number of connections")
        }
    }
}
