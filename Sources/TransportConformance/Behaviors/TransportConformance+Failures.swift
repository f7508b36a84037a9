import Foundation
import MoyaTesting
import MoyaTransport

extension TransportConformance {
    static func addFailures(to list: inout BehaviorList) {
        list.startGroup("failures")
        for (what, answer) in [
            ("shorter than its length", "Content-Length: 100\r\n\r\nhalf"),
            ("of which nothing comes", "Content-Length: 100\r\n\r\n"),
            ("without its last chunk", "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"),
            ("cut within a chunk", "Transfer-Encoding: chunked\r\n\r\n9\r\nhalf"),
            ("cut within a chunk's size", "Transfer-Encoding: chunked\r\n\r\n4"),
            ("cut after the last chunk", "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n"),
            ("cut within the trailers", "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\nT: x\r\n"),
        ] {
            list.add("a body \(what) is truncated") { scene in
                let heard = try await scene.heard(of: "HTTP/1.1 200 OK\r\n\(answer)")
                try expectFailure(heard, .truncated)
                try expect(heard.head?.status, is: 200, "the status")
            }
        }
        list.add("a head without its end is truncated") { scene in
            let heard = try await scene.heard(of: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n")
            try expectFailure(heard, .truncated)
            try expect(heard.heads.isEmpty, "no head is reported")
        }
        list.add("a server that closes without a response is a reset") { scene in
            let server = try await LoopbackServer { _ in }
            let heard = try await scene.run(server.request())
            try expectFailure(heard, .reset)
            try expect(heard.order, is: ["end"], "the events")
        }
        list.add("a server that breaks the connection without an answer is a reset") { scene in
            let server = try await LoopbackServer { $0.reset() }
            try expectFailure(try await scene.run(server.request()), .reset)
        }
        for (what, fields, half) in [
            ("a body of stated length", ["Content-Length": "100"] as LoopbackFields, "half"),
            ("a chunked body", ["Transfer-Encoding": "chunked"], "4\r\nhalf\r\n"),
            ("a body without framing", [:], "half"),
        ] {
            list.add("a connection broken within \(what) is a reset") { scene in
                let gate = Gate()
                let server = try await LoopbackServer { exchange in
                    try await exchange.send(head: 200, fields)
                    try await exchange.send(raw: half)
                    try await gate.wait()
                    exchange.reset()
                }
                let running = scene.start(server.request())
                try await running.sink.waitUntil { $0.text == "half" }
                gate.open()
                try expectFailure(try await running.sink.waitForEnd(), .reset)
            }
        }
        list.add("a connection broken during an upload is a reset") { scene in
            let server = try await LoopbackServer(.init(socketBuffer: 16_384)) { exchange in
                _ = try await exchange.readBody(exactly: 10_000)
                exchange.reset()
            }
            try expectFailure(try await scene.run(server.request("POST", body: .data(Data(count: 8 << 20)))), .reset)
        }
        for (what, garbage) in [
            ("words", "garbage\r\n\r\n"), ("empty lines", "\r\n\r\n"), ("another protocol", "SSH-2.0-OpenSSH_9.2\r\n"),
            ("a version alone", "HTTP/1.1\r\n\r\n"), ("a status in letters", "HTTP/1.1 abc OK\r\n\r\n"),
            ("a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"),
            ("a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"),
            ("a name of another protocol", "HTTQ/1.1 200 OK\r\n\r\n"),
        ] {
            list.add("\(what) in place of a response are a protocol violation") { scene in
                let heard = try await scene.heard(of: garbage)
                try expectFailure(heard, .protocolViolation)
                try expect(heard.order, is: ["end"], "the events")
            }
        }
        for (what, body) in [
            ("in letters", "zz\r\nhello\r\n0\r\n\r\n"), ("below zero", "-1\r\nx\r\n0\r\n\r\n"),
            ("too large", "ffffffffffffffffff\r\nx"), ("shorter than its chunk", "2\r\nhello\r\n0\r\n\r\n"),
        ] {
            list.add("a chunk size \(what) is a protocol violation") { scene in
                let heard = try await scene.heard(of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
                try expectFailure(heard, .protocolViolation)
            }
        }
        for (what, lengths) in [
            ("in letters", ["abc"]), ("below zero", ["-1"]), ("too large", ["99999999999999999999999"]),
            ("stated twice, and unlike,", ["5", "2"]),
        ] {
            list.add("a length \(what) is a protocol violation") { scene in
                let lines = lengths.map { "Content-Length: \($0)\r\n" }.joined()
                try expectFailure(
                    try await scene.heard(of: "HTTP/1.1 200 OK\r\n\(lines)\r\nhello"), .protocolViolation)
            }
        }
        for (what, family) in [("IPv4", LoopbackServer.AddressFamily.ipv4), ("IPv6", .ipv6)] {
            list.add("a refused port over \(what) is a failure to connect") { scene in
                let closed = try ClosedPort(family)
                let host = family == .ipv4 ? "127.0.0.1" : "[::1]"
                let heard = try await scene.run(HTTPRequest(method: "GET", url: "http://\(host):\(closed.port)/"))
                try expectFailure(heard, .connect)
                try expect(heard.order, is: ["end"], "the events")
                try expect(heard.failure?.message.isEmpty == false, "the failure has a message")
                withExtendedLifetime(closed) {}
            }
        }
        list.add("a host that does not exist is a failure to resolve") { scene in
            let heard = try await scene.run(HTTPRequest(method: "GET", url: "http://no-such-host.invalid/"))
            try expectFailure(heard, .dns)
        }
        list.add("a server without TLS is a failed handshake") { scene in
            let server = try await LoopbackServer(onConnection: { connection in
                _ = try await connection.receive()
                try await connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
                connection.close()
            }) { _ in }
            let heard = try await scene.run(
                HTTPRequest(method: "GET", url: "https://127.0.0.1:\(server.port)/"))
            try expectFailure(heard, .tls(.handshake))
        }
    }
}
