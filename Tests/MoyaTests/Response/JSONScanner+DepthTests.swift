import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import Moya

/// JSON nested deeper than any stack allows, on a thread with a stack like those of Dispatch.
@Suite struct JSONScannerDepthTests {
    private static let deepest = 100_000

    static let documents = [
        String(repeating: "[", count: deepest) + String(repeating: "]", count: deepest),
        String(repeating: #"{"a":"#, count: deepest) + "1" + String(repeating: "}", count: deepest),
        String(repeating: #"[{"a":"#, count: deepest), #"{"a":"# + String(repeating: "[", count: deepest),
        String(repeating: #"{"b":["#, count: deepest) + #""a"#,
    ]

    private func response(_ text: String) -> Response { Response(statusCode: 200, data: Data(text.utf8)) }

    private func failure(_ map: @escaping @Sendable () throws -> Void) async -> (any Error)? {
        await SmallStack.run {
            do {
                try map()
                return nil
            } catch {
                return error
            }
        }
    }

    struct Node: Codable, Sendable { var a: [Node]? }

    // By number: an argument is printed whole.
    @Test(arguments: documents.indices) func deepJSONIsAnErrorOfEveryMapping(number: Int) async {
        let response = response(Self.documents[number])
        #expect(await failure { _ = try response.mapJSON() } is MoyaError)
        #expect(await failure { _ = try response.mapString(atKeyPath: "a.a") } is MoyaError)
        #expect(await failure { _ = try response.map(Node.self) } is MoyaError)
        #expect(await failure { _ = try response.map(Node.self, atKeyPath: "a.a") } is MoyaError)
    }

    @Test func jsonOfTheBoundIsMapped() async {
        let text = String(repeating: #"{"a":["#, count: 255) + String(repeating: "]}", count: 255)
        let response = response(text)
        #expect(await failure { _ = try response.mapJSON() } == nil)
        #expect(await failure { _ = try JSONKeyPath("a.a.a").value(in: response.data) } == nil)
        #expect(await failure { _ = try response.map(Node.self) } == nil)
    }

    /// A tree as its types are written by hand, with much on the stack.
    struct Tree: Decodable, Sendable {
        enum Key: CodingKey { case a }

        init(from decoder: any Decoder) throws {
            if var list = try? decoder.unkeyedContainer() {
                while !list.isAtEnd { _ = try list.decode(Tree.self) }
            } else if let object = try? decoder.container(keyedBy: Key.self) {
                _ = try object.decode(Tree.self, forKey: .a)
            } else {
                _ = try decoder.singleValueContainer().decode(Int.self)
            }
        }
    }

    @Test(arguments: ["[", #"{"a":"#]) func aTypeThatDecodesItselfIsMappedToTheBoundOfItsDecoder(opening: String) async
    {
        let closing = opening == "[" ? "]" : "}"
        let text = String(repeating: opening, count: 512) + "1" + String(repeating: closing, count: 512)
        let response = response(text)
        #expect(await failure { _ = try response.map(Tree.self, using: JSONDecoder()) } == nil)
        #expect(await failure { _ = try response.map(Tree.self) } == nil)
    }

    @Test func deepKeyPathFindsNothing() async {
        let response = response(#"{"a":{"a":[{"a":1}]}}"#)
        let path = String(repeating: "a.", count: Self.deepest) + "a"
        #expect(await failure { _ = try response.mapString(atKeyPath: path) } is MoyaError)
    }

    @Test func deepBodiesAreComparedAndMaskedWithoutRecursion() async throws {
        let body = Data(Self.documents[0].utf8)
        let equal = await SmallStack.run {
            let one = Endpoint(
                url: "http://a/", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .post,
                task: .requestData(body), httpHeaderFields: ["Content-Type": "application/json"])
            return one == one
        }
        #expect(equal)
        let masked = await SmallStack.run {
            let text = #"{"token":"# + String(decoding: body, as: UTF8.self) + "}"
            return SecretMask.standard.body(Data(text.utf8)).count
        }
        #expect(masked < body.count)
    }
}
