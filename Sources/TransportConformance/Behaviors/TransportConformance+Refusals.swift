import MoyaTesting
import MoyaTransport

extension TransportConformance {
    static func addRefusals(to list: inout BehaviorList) {
        list.startGroup("refusals")
        let values = ["CR LF": "a\r\nX-Injected: 1", "LF": "a\nb", "CR": "a\rb", "NUL": "a\0b"]
        for (what, text) in values.sorted(by: { $0.key < $1.key }) {
            list.add("a field value with \(what) is refused unsent") { scene in
                try await expectRefused(scene) { $0.request("GET", "/", [("X", text)]) }
            }
            list.add("a field name with \(what) is refused unsent") { scene in
                try await expectRefused(scene) { $0.request("GET", "/", [(text, "x")]) }
            }
        }
        list.add("a field value with another control character is refused unsent") { scene in
            try await expectRefused(scene) { $0.request("GET", "/", [("X", "a\u{1}b")]) }
        }
        list.add("the method CONNECT is refused unsent") { scene in
            try await expectRefused(scene) { $0.request("CONNECT") }
        }
        list.add("an upgrade is refused unsent") { scene in
            try await expectRefused(scene) { $0.request("GET", "/", [("Upgrade", "websocket")]) }
        }
        for (what, name) in [("with a space", "a b"), ("with a colon", "a:b"), ("that is empty", "")] {
            list.add("a field name \(what) is refused unsent") { scene in
                try await expectRefused(scene) { $0.request("GET", "/", [(name, "x")]) }
            }
        }
        for (what, method) in [
            ("with a space", "G ET"), ("with a line end", "GET / HTTP/1.1\r\nX: 1\r\n\r\n"),
            ("that is no ASCII", "GÉT"),
            ("that is empty", ""),
        ] {
            list.add("a method \(what) is refused unsent") { scene in
                try await expectRefused(scene) { $0.request(method) }
            }
        }
        for (what, target) in [("a space", "/a b"), ("a line end", "/a\r\nX-Injected: 1"), ("NUL", "/a\0b")] {
            list.add("a URL with \(what) is refused unsent") { scene in
                try await expectRefused(scene) { $0.request("GET", target) }
            }
        }
        list.add("a URL of eight megabytes is refused by its length") { scene in
            let server = try await LoopbackServer { try await $0.respond() }
            let target = "/" + String(repeating: "a", count: 8_000_000)
            let heard = try await scene.run(server.request("GET", target))
            try expectFailure(heard, .unsupported)
            try expect(heard.failure?.message.contains("it must have fewer than 8000000") == true, "it is named")
        }
        for (what, url) in [
            ("file URL", "file:///etc/hostname"), ("gopher URL", "gopher://127.0.0.1/"),
            ("ftp URL", "ftp://127.0.0.1/"),
            ("empty URL", ""), ("URL without a host", "http://"), ("URL without a scheme", "nonsense"),
        ] {
            list.add("a \(what) is refused") { scene in
                try expectFailure(try await scene.run(HTTPRequest(method: "GET", url: url)), .unsupported)
            }
        }
    }

    private static func expectRefused(
        _ scene: ConformanceScene, _ request: @Sendable (LoopbackServer) -> HTTPRequest
    ) async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let heard = try await scene.run(request(server))
        try expectFailure(heard, .unsupported)
        try expect(heard.order, is: ["end"], "the events")
        try await scene.expectNothingSent(to: server)
    }
}
