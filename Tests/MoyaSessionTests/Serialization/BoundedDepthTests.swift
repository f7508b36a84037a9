import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

/// Bodies of as many levels as their decoder accepts, decoded on a stack like those of Dispatch on Apple's systems.
@Suite struct BoundedDepthTests {
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
        #expect(await failure { _ = try BoundedDepth.decode(Tree.self, from: data, with: JSONDecoder()) } == nil)
    }

    @Test func bracketsInStringsHideNoLevel() async {
        let strings = String(repeating: #""]\\"","\"]","#, count: 400)
        let data = Data("[\(strings)\(Self.lists)]".utf8)
        let error = await failure { _ = try BoundedDepth.decode(Tree.self, from: data, with: JSONDecoder()) }
        // One level more than the decoder accepts.
        #expect(error is DecodingError)
    }

    @Test func quotesOfJSON5HideNoLevel() async {
        let data = Data("[ '\"', /* \" */ \(Self.lists.dropFirst().dropLast())]".utf8)
        let error = await failure {
            let decoder = JSONDecoder()
            decoder.allowsJSON5 = true
            _ = try BoundedDepth.decode(Tree.self, from: data, with: decoder)
        }
        #expect(error == nil)
    }

    @Test func theErrorIsTheDecoders() {
        let text = String(repeating: "[", count: 300) + "x" + String(repeating: "]", count: 300)
        #expect(throws: DecodingError.self) {
            try BoundedDepth.decode(Tree.self, from: Data(text.utf8), with: JSONDecoder())
        }
    }

    private func propertyList(levels: Int) -> Data {
        let opening = String(repeating: "<array>", count: levels)
        return Data("<plist version=\"1.0\">\(opening)\(String(repeating: "</array>", count: levels))</plist>".utf8)
    }

    @Test func aSerializerDecodesADeepPropertyList() async {
        let data = propertyList(levels: 500)
        let error = await failure {
            _ = try DecodableResponseSerializer<Tree>(decoder: PropertyListDecoder())
                .serialize(request: nil, response: nil, data: data, error: nil)
        }
        #expect(error == nil)
    }

    @Test func aPropertyListOfTooManyLevelsIsAnError() async {
        let data = propertyList(levels: 100_000)
        let error = await failure {
            _ = try DecodableResponseSerializer<Tree>(decoder: PropertyListDecoder())
                .serialize(request: nil, response: nil, data: data, error: nil)
        }
        #expect((error as? SessionError)?.isResponseSerializationError == true)
    }

    /// An array whose only element is itself, in the binary form.
    @Test func aPropertyListThatContainsItselfIsAnError() async {
        let array: [UInt8] = [0xA1, 0]
        let offsets: [UInt8] = [8, 0, 0, 0, 0, 0, 0, 1, 1]
        let counts = [1, 0, 10].flatMap { (count: UInt8) -> [UInt8] in [0, 0, 0, 0, 0, 0, 0, count] }
        let data = Data([UInt8]("bplist00".utf8) + array + offsets + counts)
        let error = await failure {
            _ = try BoundedDepth.decode(Tree.self, from: data, with: PropertyListDecoder())
        }
        #expect(error != nil)
    }
}
