import Moya
import Testing

@Suite struct MethodTests {
    @Test(arguments: [Moya.Method.post, .put, .patch, .connect])
    func sendsMultipartForms(_ method: Moya.Method) { #expect(method.supportsMultipart) }

    @Test(arguments: [Moya.Method.get, .delete, .options, .head, .trace, Moya.Method(rawValue: "MERGE")])
    func sendsNoMultipartForms(_ method: Moya.Method) { #expect(!method.supportsMultipart) }

    @Test func isComparedCaseSensitively() { #expect(Moya.Method(rawValue: "post") != .post) }
}
