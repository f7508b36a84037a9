import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct JSONResponseSerializerTests {
    /// A response that is read in one place at a time; the type of its value is not `Sendable`.
    private struct Handed: @unchecked Sendable {
        let response: AFDataResponse<Any>

        var value: Any? { response.value }
        var error: SessionError? { response.error }
    }

    /// Calls a deprecated function where a call produces no warning.
    private protocol JSONHandling {
        func json(of request: DataRequest) async -> Handed
    }

    private struct Handler: JSONHandling {
        @available(*, deprecated) func json(of request: DataRequest) async -> Handed {
            await handedOver { handOver in
                request.responseJSON(queue: DispatchQueue(label: "handlers")) { handOver(Handed(response: $0)) }
            }
        }
    }

    private func json(_ body: String, status: Int = 200) async -> Handed {
        let session = Session(configuration: .ephemeral, transport: StubbedTransport(.response(status, [], body)))
        let handler: any JSONHandling = Handler()
        let response = await handler.json(of: session.request("http://a.example/"))
        withExtendedLifetime(session) {}
        return response
    }

    @Test func responseIsOneOfAny() async {
        func number(_ response: DataResponse<Any, AFError>) -> Int? { response.value as? Int }
        #expect(number(await json("7").response) == 7)
    }

    @Test func objectIsADictionary() async throws {
        let value = try #require(await json(#"{"name": "ash", "list": [1, 2.5, true, null, {"a": "b"}]}"#).value)
        let object = try #require(value as? [String: Any])
        #expect(object["name"] as? String == "ash")
        let list = try #require(object["list"] as? [Any])
        #expect(list.count == 5)
        #expect(list[0] as? Int == 1 && list[1] as? Double == 2.5 && list[2] as? Bool == true)
        #expect(list[3] is NSNull && (list[4] as? [String: String])?["a"] == "b")
    }

    @Test func arrayIsAnArray() async {
        #expect(await json(#"["a", "b"]"#).value as? [String] == ["a", "b"])
    }

    @Test func scalarIsItsValue() async {
        #expect(await json("7").value as? Int == 7)
        #expect(await json(#""a string that is too long to be stored inline""#).value as? String != nil)
        #expect(await json("true").value as? Bool == true)
        #expect(await json("null").value is NSNull)
    }

    @Test func allowedEmptyBodyIsNull() async {
        #expect(await json("", status: 204).value is NSNull)
    }

    @Test func textThatIsNotJSONIsAnErrorWithItsCause() async {
        let error = await json("not JSON").error
        guard case .responseSerializationFailed(.jsonSerializationFailed)? = error else {
            Issue.record("\(error as Any)"); return
        }
    }
}
