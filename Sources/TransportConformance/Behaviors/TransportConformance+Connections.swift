import Foundation
import MoyaTesting
import MoyaTransport

extension TransportConformance {
    static func addConnections(to list: inout BehaviorList) {
        list.startGroup("connections")
        list.add("twenty requests in a row use one connection") { scene in
            let server = try await LoopbackServer { try await $0.respond(body: $0.request.path) }
            for number in 0..<20 {
                try expect(try await scene.run(server.request("GET", "/\(number)")).text, is: "/\(number)", "the body")
            }
            try expect(server.connectionCount, is: 1, "the number of connections")
        }
        for method in ["POST", "HEAD", "PUT", "DELETE"] {
            list.add("a \(method) leaves its connection to the next") { scene in
                let server = try await LoopbackServer.reading(answer: "x")
                for _ in 0..<3 { try expectWhole(try await scene.run(server.request(method))) }
                try expect(server.connectionCount, is: 1, "the number of connections")
            }
        }
        list.add("a connection that the server announces to close is not used again") { scene in
            let server = try await LoopbackServer { try await $0.respond(200, ["Connection": "close"], body: "x") }
            for _ in 0..<3 { try expect(try await scene.run(server.request()).text, is: "x", "the body") }
            try expect(server.connectionCount, is: 3, "the number of connections")
        }
        list.add("a connection of HTTP/1.0 is not used again unless it is kept") { scene in
            let server = try await LoopbackServer { exchange in
                try await exchange.send(head: 200, ["Content-Length": "1"], version: "HTTP/1.0")
                try await exchange.send("x")
            }
            for _ in 0..<2 { try expect(try await scene.run(server.request()).text, is: "x", "the body") }
            try expect(server.connectionCount, is: 2, "the number of connections")
        }
        for (what, resets) in [("closed", false), ("broken", true)] {
            list.add("a connection that was \(what) while idle is replaced") { scene in
                let server = try await LoopbackServer { try await $0.respond(body: "x") }
                _ = try await scene.run(server.request())
                for connection in server.openConnections {
                    if resets { connection.reset() } else { connection.close() }
                }
                try await server.waitUntil { $0.openConnectionCount == 0 }
                try expect(try await scene.run(server.request()).text, is: "x", "the body")
                try expect(server.connectionCount, is: 2, "the number of connections")
            }
        }
        list.add("a GET that meets a closing connection is sent again") { scene in
            let server = try await LoopbackServer { exchange in
                if exchange.request.connectionNumber == 1, exchange.request.path == "/2" { return exchange.close() }
                try await exchange.respond(body: "x")
            }
            _ = try await scene.run(server.request("GET", "/1"))
            let heard = try await scene.run(server.request("GET", "/2"))
            try expectWhole(heard)
            try expect(heard.text, is: "x", "the body")
        }
        let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        for (what, answer, text) in [
            ("what follows an answer", ok + "HTTP/1.1 500 X\r\n\r\nEXTRA", "ok"),
            ("a second whole answer", ok + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno", "ok"),
            ("what follows a 204", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nextra", ""),
        ] {
            list.add("\(what) is not taken for the next response") { scene in
                let server = try await LoopbackServer { exchange in
                    guard exchange.request.path == "/1" else { return try await exchange.respond(body: "clean") }
                    try await exchange.send(raw: answer)
                }
                let first = try await scene.run(server.request("GET", "/1"))
                try expectWhole(first)
                try expect(first.text, is: text, "the body")
                let second = try await scene.run(server.request("GET", "/2"))
                try expect(second.head?.status, is: 200, "the status")
                try expect(second.text, is: "clean", "the body")
            }
        }
        list.add("bytes on an idle connection are not taken for the next response") { scene in
            let server = try await LoopbackServer { try await $0.respond(body: $0.request.path) }
            try expect(try await scene.run(server.request("GET", "/1")).text, is: "/1", "the body")
            for connection in server.openConnections {
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nrogue")
            }
            try expect(try await scene.run(server.request("GET", "/2")).text, is: "/2", "the body")
        }
        list.add("six requests at once get their own answers") { scene in
            let gate = Gate()
            let server = try await LoopbackServer { exchange in
                try await gate.wait()
                try await exchange.respond(body: exchange.request.path)
            }
            let running = (0..<6).map { scene.start(server.request("GET", "/\($0)")) }
            try await gate.waitForArrivals(6)
            gate.open()
            for (number, one) in running.enumerated() {
                try expect(try await one.sink.waitForEnd().text, is: "/\(number)", "the body")
            }
        }
        list.add("a hundred requests at once get their own answers") { scene in
            let server = try await LoopbackServer { try await $0.respond(body: $0.request.path) }
            let running = (0..<100).map { scene.start(server.request("GET", "/\($0)")) }
            for (number, one) in running.enumerated() {
                try expect(try await one.sink.waitForEnd().text, is: "/\(number)", "the body")
            }
        }
        list.add("a failure leaves the transport usable") { scene in
            let server = try await LoopbackServer { exchange in
                switch exchange.request.path {
                case "/reset": exchange.reset()
                case "/garbage":
                    try await exchange.send(raw: "garbage\r\n\r\n")
                    exchange.close()
                case "/short": try await exchange.send(head: 200, ["Content-Length": "9"])
                default: try await exchange.respond(body: "fine")
                }
            }
            for path in ["/reset", "/garbage", "/short"] {
                try expect(try await scene.run(server.request("GET", path)).failure != nil, "\(path) fails")
                try expect(try await scene.run(server.request("GET", "/")).text, is: "fine", "the body")
            }
        }
    }

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
