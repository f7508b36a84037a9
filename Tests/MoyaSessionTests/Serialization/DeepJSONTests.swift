import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

/// JSON of as many levels as `JSONDecoder` accepts, decoded on a stack like those of Dispatch on Apple's systems.
@Suite struct DeepJSONTests {
    private struct Tree: Decodable, Sendable {
        init(from decoder: any Decoder) throws {
            guard var list = try? decoder.unkeyedContainer() else { return }
            while !list.isAtEnd { _ = try list.decode(Tree.self) }
        }
    }

    private static let lists = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)

    private func failure(_ decode: @escaping @Sendable () throws -> Void) async -> (any Error)? {
        await SmallStack.run {
            do {
                try decode()
                return nil
            } catch {
                return error
            }
        }
    }

    @Test func aSerializerDecodesDeepLists() async {
        let data = Data(Self.lists.utf8)
        let error = await failure {
            _ = try DecodableResponseSerializer<Tree>(decoder: JSONDecoder())
                .serialize(request: nil, response: nil, data: data, error: nil)
        }
        #expect(error == nil)
    }

    @Test func aStreamSerializerDecodesDeepLists() async {
        let data = Data(Self.lists.utf8)
        #expect(await failure { _ = try DecodableStreamSerializer<Tree>().serialize(data) } == nil)
    }

    @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian])
    func theEncodingMayBeAnother(_ encoding: String.Encoding) async throws {
        let data = try #require(Self.lists.data(using: encoding))
        #expect(await failure { _ = try DeepJSON.decode(Tree.self, from: data, with: JSONDecoder()) } == nil)
    }

    @Test func bracketsInStringsHideNoLevel() async {
        let strings = String(repeating: #""]\\"","\"]","#, count: 400)
        let data = Data("[\(strings)\(Self.lists)]".utf8)
        let error = await failure { _ = try DeepJSON.decode(Tree.self, from: data, with: JSONDecoder()) }
        // One level more than the decoder accepts.
        #expect(error is DecodingError)
    }

    @Test func quotesOfJSON5HideNoLevel() async {
        let data = Data("[ '\"', /* \" */ \(Self.lists.dropFirst().dropLast())]".utf8)
        let error = await failure {
            let decoder = JSONDecoder()
            decoder.allowsJSON5 = true
            _ = try DeepJSON.decode(Tree.self, from: data, with: decoder)
        }
        #expect(error == nil)
    }

    @Test func theErrorIsTheDecoders() {
        let text = String(repeating: "[", count: 300) + "x" + String(repeating: "]", count: 300)
        #expect(throws: DecodingError.self) {
            try DeepJSON.decode(Tree.self, from: Data(text.utf8), with: JSONDecoder())
        }
    }
}
