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

}
