import MoyaSession
import Testing

@Suite struct HTTPMethodTests {
    @Test func methodsAreInUpperCase() {
        let methods: [HTTPMethod] = [
            .connect, .delete, .get, .head, .options, .patch, .post, .put, .query, .trace,
        ]
        #expect(
            methods.map(\.rawValue) == [
                "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
            ])
    }

    @Test func spellingIsKeptAndCompared() {
        #expect(HTTPMethod(rawValue: "get").rawValue == "get")
        #expect(HTTPMethod(rawValue: "get") != .get)
        #expect(HTTPMethod(rawValue: "GET") == .get)
    }
}
