import Foundation
import Moya
// snippet: uploads
import MoyaSession
// end
import MoyaTesting
import Testing

/// The samples of the article Streams.
@Suite struct StreamsSamples {
    // snippet: target
    enum Assistant: TargetType {
        case chat(prompt: String)
        case log(service: String)
        case rows
        case export
        case feed(after: String?)

        var baseURL: URL { URL(string: "https://api.example.com")! }
        var path: String {
            switch self {
            case .chat: "chat"
            case .log(let service): "logs/\(service)"
            case .rows: "rows"
            case .export: "export"
            case .feed: "feed"
            }
        }
        var method: Moya.Method { if case .chat = self { .post } else { .get } }
        var task: Task {
            switch self {
            case .chat(let prompt): .requestJSONEncodable(["prompt": prompt])
            case .feed(let event?):
                .requestParameters(parameters: ["starting_after": event], encoding: URLEncoding.default)
            default: .requestPlain
            }
        }
        var headers: [String: String]? { nil }
        var sampleData: Data { Data("data: {\"text\":\"Hel\"}\n\ndata: {\"text\":\"lo\"}\n\ndata: [DONE]\n\n".utf8) }
    }

    struct Delta: Decodable, Sendable {
        let text: String
    }
    // end

    // snippet: uploads
    enum Uploads: TargetType {
        case recording(AsyncStream<Data>)
        case measurements(AsyncStream<Measurement>)
        case backup(UploadStream)

        var baseURL: URL { URL(string: "https://api.example.com")! }
        var path: String {
            switch self {
            case .recording: "recordings"
            case .measurements: "measurements"
            case .backup: "backup"
            }
        }
        var method: Moya.Method { if case .backup = self { .put } else { .post } }
        var task: Task {
            switch self {
            case .recording(let pieces): .uploadStream(pieces)
            case .measurements(let values): .uploadJSONLines(values)
            case .backup(let body): .uploadStream(body)
            }
        }
        var headers: [String: String]? { nil }
    }

    struct Measurement: Encodable, Sendable {
        let celsius: Double
    }
    // end

    private struct Row: Decodable, Sendable {}

    private func chat(_ provider: MoyaProvider<Assistant>) async throws {
        // snippet: events
        for try await delta in provider.events(of: .chat(prompt: "Hello?"), as: Delta.self, until: "[DONE]") {
            FileHandle.standardOutput.write(Data(delta.text.utf8))
        }
        // end
    }

    private func text(_ provider: MoyaProvider<Assistant>) async throws {
        // snippet: lines
        for try await line in provider.lines(of: .log(service: "mail")) { print(line) }
        for try await row in provider.jsonLines(of: .rows, as: Row.self) { print(row) }
        // end
    }

    private func bytes(_ provider: MoyaProvider<Assistant>, file: FileHandle) async throws {
        // snippet: bytes
        let export = try await provider.stream(.export)
        print(export.statusCode, export.headers["Content-Type"] ?? "")
        for try await chunk in export.bytes { try file.write(contentsOf: chunk) }
        // end
    }

    private func closures(_ provider: MoyaProvider<Assistant>, queue: DispatchQueue) {
        // snippet: closures
        let call = provider.streamRequest(.export) { head in
            print(head.statusCode)
        } chunk: { chunk in
            print(chunk.count)
        } completion: { result in
            print(result)
        }
        // end
        // snippet: forEach
        let lines = provider.lines(of: .log(service: "mail")).forEach(on: queue) { line in
            print(line)
        } completion: { result in
            print(result)
        }
        // end
        call.cancel()
        lines.cancel()
    }

    private func skip(_ provider: MoyaProvider<Assistant>) async throws {
        // snippet: undecodable
        var rows = provider.jsonLines(of: .rows, as: Row.self).makeAsyncIterator()
        while true {
            do throws(MoyaError) {
                guard let row = try await rows.next() else { break }
                print(row)
            } catch .objectMapping(_, let response) {
                print("skipped:", String(decoding: response.data, as: UTF8.self))
            }
        }
        // end
    }

    private func send(_ provider: MoyaProvider<Uploads>, _ file: URL, length: Int64) async throws {
        // snippet: repeatable
        let body = UploadStream(length: length) {
            let file = try FileHandle(forReadingFrom: file)
            return AsyncThrowingStream(unfolding: { try file.read(upToCount: 65_536) })
        }
        let response = try await provider.request(.backup(body))
        print(response.trailers["Digest"] ?? "")
        // end
    }

    private func send(_ pieces: AsyncStream<Data>, in session: Session) {
        // snippet: session
        session.upload(UploadStream(pieces), to: "https://api.example.com/recordings").response { print($0.result) }
        // end
    }

    private func reconnect(_ provider: MoyaProvider<Assistant>) async throws {
        // snippet: reconnecting
        for try await event in provider.events(of: .feed(after: nil), reconnecting: .default) {
            print(event.id ?? "", event.type, event.data)
        }
        // end
        // snippet: cursor
        let events = provider.events(
            of: .feed(after: nil), reconnecting: .default,
            resumingAt: { event in event.id.map { .feed(after: $0) } })
        for try await event in events { print(event.data) }
        // end
    }

    @Test func sampleDataStreams() async throws {
        // snippet: stub
        let provider = MoyaProvider<Assistant>(stubClosure: MoyaProvider.immediatelyStub)
        var text = ""
        for try await delta in provider.events(of: .chat(prompt: ""), as: Delta.self, until: "[DONE]") {
            text += delta.text
        }
        #expect(text == "Hello")
        // end
    }

    @Test func sampleDataStreamsInPieces() async throws {
        // snippet: paced
        let clock = TestClock()
        let provider = MoyaProvider<Assistant>(
            stubClosure: MoyaProvider.streamedStub(pieceSize: 10, every: .milliseconds(50)), middleware: [],
            clock: clock)
        let chunks = _Concurrency.Task {
            var count = 0
            for try await _ in try await provider.stream(.export).bytes { count += 1 }
            return count
        }
        for _ in 0..<6 {
            try await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(50))
        }
        #expect(try await chunks.value == 6)
        // end
    }
}
