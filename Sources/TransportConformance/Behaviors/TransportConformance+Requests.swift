import Foundation
import MoyaTesting
import MoyaTransport

extension TransportConformance {
    static func addMethods(to list: inout BehaviorList) {
        list.startGroup("methods")
        for method in [
            "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "HEAD", "PROPFIND", "M-SEARCH", "get",
        ] {
            list.add("the method \(method) is sent as it is spelled") { scene in
                try expect(try await scene.received(method).method, is: method, "the method")
            }
        }
        for method in ["GET", "POST", "DELETE", "OPTIONS", "QUERY"] {
            list.add("a \(method) may have a body") { scene in
                let request = try await scene.received(method, body: .data(Data("body".utf8)))
                try expect(request.method, is: method, "the method")
                try expect(request.body, is: Data("body".utf8), "the body")
            }
        }
    }

    static func addTargets(to list: inout BehaviorList) {
        list.startGroup("targets")
        let targets = [
            "dot segments are": "/a/../b/./c", "empty segments are": "/a//b///c", "escapes are": "/%2e%2E/x%20y",
            "a query is": "/a?c=%26&d=e+f?g", "an empty query is": "/a?", "path parameters are": "/;p=1?x=/y?z",
        ]
        for (what, target) in targets.sorted(by: { $0.key < $1.key }) {
            list.add("\(what) sent as they stand in the URL") { scene in
                try expect(try await scene.received("GET", target).target, is: target, "the target")
            }
        }
        list.add("a URL without a path asks for the root") { scene in
            try expect(try await scene.received("GET", "").target, is: "/", "the target")
        }
        list.add("a URL with a query and no path asks for the root with it") { scene in
            try expect(try await scene.received("GET", "?a=b").target, is: "/?a=b", "the target")
        }
        list.add("a target of eight kilobytes is sent whole") { scene in
            let target = "/" + String(repeating: "x", count: 8_192)
            try expect(try await scene.received("GET", target).target.count, is: target.count, "the target's length")
        }
        list.add("an IPv6 address is reached") { scene in
            let server = try await LoopbackServer(.init(addressFamily: .ipv6)) { try await $0.respond(body: "six") }
            try expect(try await scene.run(server.request()).text, is: "six", "the body")
        }
    }

    static func addRequestFields(to list: inout BehaviorList) {
        list.startGroup("request fields")
        list.add("fields keep their order and their duplicates") { scene in
            let sent = [("X-B", "1"), ("X-A", "2"), ("X-B", "3"), ("X-C", "4")]
            let fields = try await scene.received("GET", "/", sent).fields
                .filter { $0.name.lowercased().hasPrefix("x-") }.map { "\($0.name.lowercased()): \($0.value)" }
            try expect(fields, is: ["x-b: 1", "x-a: 2", "x-b: 3", "x-c: 4"], "the fields")
        }
        list.add("field names keep their spelling") { scene in
            let names = try await scene.received("GET", "/", [("x-lower", "1"), ("X-mIxEd", "2")]).fields.map(\.name)
            try expect(names.contains("x-lower") && names.contains("X-mIxEd"), "\(names) are spelled as given")
        }
        list.add("several cookie fields are sent as one") { scene in
            let fields = try await scene.received("GET", "/", [("Cookie", "a=1"), ("X", "x"), ("cookie", "b=2")]).fields
            try expect(fields.values(for: "Cookie"), is: ["a=1; b=2"], "the values")
        }
        list.add("fields of the connection are not the caller's") { scene in
            let given = [
                ("Content-Length", "5"), ("Transfer-Encoding", "chunked"), ("Connection", "keep-alive"),
                ("TE", "trailers"),
                ("Proxy-Authorization", "Basic dTpw"), ("Keep-Alive", "timeout=5"),
            ]
            let fields = try await scene.received("POST", "/", given, body: .data(Data("x".utf8))).fields
            try expect(fields.values(for: "Content-Length"), is: ["1"], "the length")
            for name in ["Transfer-Encoding", "TE", "Proxy-Authorization", "Keep-Alive"] {
                try expect(fields.values(for: name), is: [], "\(name)")
            }
        }
        list.add("an empty value is sent") { scene in
            let fields = try await scene.received("GET", "/", [("X-Empty", "")]).fields
            try expect(fields.values(for: "X-Empty"), is: [""], "the values")
        }
        let values = [
            "with semicolons": "a; b;c;", "with colons": "a: b", "with quotes": "\"q\\\"\"", "with commas": "a, b",
            "that is UTF-8": "é☕️",
        ]
        for (what, value) in values.sorted(by: { $0.key < $1.key }) {
            list.add("a value \(what) is sent as it is") { scene in
                let fields = try await scene.received("GET", "/", [("X-V", value)]).fields
                try expect(fields.values(for: "X-V"), is: [value], "the values")
            }
        }
        for name in ["Accept", "User-Agent", "Accept-Encoding", "Host"] {
            list.add("\(name) of the request replaces the transport's own") { scene in
                let fields = try await scene.received("GET", "/", [(name, "mine")]).fields
                try expect(fields.values(for: name), is: ["mine"], "the values")
            }
        }
        list.add("Host names the server and its port once") { scene in
            let server = try await LoopbackServer { try await $0.respond() }
            _ = try await scene.run(server.request())
            try expect(
                server.requests.first?.fields.values(for: "host"), is: ["127.0.0.1:\(server.port)"], "the values")
        }
        list.add("content codings are offered unless the request states its own") { scene in
            let offer = try await scene.received().fields["Accept-Encoding"]
            try expect(offer?.contains("gzip") == true, "gzip is offered; \(offer ?? "nothing") is")
        }
        list.add("no Content-Type is invented") { scene in
            let request = try await scene.received("POST", body: .data(Data("x".utf8)))
            try expect(request.fields.values(for: "content-type"), is: [], "the values")
        }
        list.add("no cookie of one answer goes with the next request") { scene in
            let server = try await LoopbackServer { try await $0.respond(200, ["Set-Cookie": "a=b"]) }
            for _ in 0..<2 { try expectWhole(try await scene.run(server.request())) }
            try expect(server.requests.compactMap { $0.fields["Cookie"] }, is: [], "the cookies")
        }
        list.add("a hundred fields arrive") { scene in
            let fields = (0..<100).map { ("X-\($0)", String(repeating: "v", count: 100)) }
            let received = try await scene.received("GET", "/", fields).fields
            try expect(received.count { $0.value.count == 100 }, is: 100, "the number of fields")
        }
        list.add("nothing of one request goes with the next") { scene in
            let server = try await LoopbackServer.reading()
            _ = try await scene.run(server.request("PUT", "/", [("X-A", "1")], body: .data(Data("x".utf8))))
            _ = try await scene.run(server.request("HEAD"))
            _ = try await scene.run(server.request())
            guard let last = server.requests.last else { throw Failure(message: "no request came") }
            try expect(last.method, is: "GET", "the method")
            for name in ["X-A", "Content-Length", "Transfer-Encoding"] {
                try expect(last.fields.values(for: name), is: [], "\(name)")
            }
        }
    }
}
