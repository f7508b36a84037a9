import Foundation
import MoyaTesting
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct JSONLinesUploadTests {
    private struct Row: Codable, Equatable, Sendable {
        let name: String
        var value = 1.0
    }

    private func rows(_ rows: Row...) -> AsyncStream<Row> {
        AsyncStream { continuation in
            for row in rows { continuation.yield(row) }
            continuation.finish()
        }
    }

    private func text(of stream: UploadStream) async throws -> String {
        String(decoding: try await UploadStreamReader(stream, length: nil).readToEnd(), as: UTF8.self)
    }

    @Test func eachValueIsALine() async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = try await text(of: .jsonLines(rows(Row(name: "a"), Row(name: "b\n\"c\"")), encoder: encoder))
        #expect(text == "{\"name\":\"a\",\"value\":1}\n{\"name\":\"b\\n\\\"c\\\"\",\"value\":1}\n")
    }

    @Test func lineBreaksOfTheEncoderBecomeSpaces() async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .prettyPrinted
        let text = try await text(of: .jsonLines(rows(Row(name: "a\nb"), Row(name: "c")), encoder: encoder))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3 && lines.last == "")
        let rows = try lines.dropLast().map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
        #expect(rows.map(\.name) == ["a\nb", "c"])
    }

    @Test func aValueThatCannotBeEncodedEndsTheBody() async throws {
        let stream = UploadStream.jsonLines(rows(Row(name: "a"), Row(name: "b", value: .nan)))
        let error = await #expect(throws: SessionError.self) { try await text(of: stream) }
        #expect(error?.underlyingError is EncodingError)
    }

    @Test func aValueIsEncodedOnDemand() async throws {
        struct Counted: Encodable, Sendable {
            let whenEncoded: @Sendable () -> Void

            func encode(to encoder: any Encoder) throws {
                whenEncoded()
                var container = encoder.singleValueContainer()
                try container.encode("x")
            }
        }
        try await confirmation(expectedCount: 1) { confirm in
            let values = AsyncStream { continuation in
                for _ in 0..<3 { continuation.yield(Counted { confirm() }) }
                continuation.finish()
            }
            let reader = UploadStreamReader(.jsonLines(values), length: nil)
            let readable = Gate()
            var buffer = [UInt8](repeating: 0, count: 100)
            #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) { readable.open() } } == nil)
            try await readable.wait()
            #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) {} } == 4)
        }
    }

    @Test func theContentTypeIsJSONLines() {
        var request = URLRequest.to("http://a.example/")
        UploadStream.jsonLines(rows()).complete(&request)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/jsonl")
    }

    @Test func theContentTypeOfTheRequestStays() {
        var request = URLRequest.to("http://a.example/")
        request.setValue("application/x-ndjson", forHTTPHeaderField: "Content-Type")
        UploadStream.jsonLines(rows()).complete(&request)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-ndjson")
    }
}
