import Foundation
import Moya

/// A conversation with an assistant, printed word by word.
struct Conversation {
    private let provider: MoyaProvider<Assistant>
    private let model: String
    private var messages: [Message] = []

    init(_ options: Options) {
        let server = options.baseURL
        model = options.model
        provider = MoyaProvider(
            endpointClosure: { target in
                Endpoint(
                    url: server.appendingPathComponent(target.path).absoluteString,
                    sampleResponseClosure: { .networkResponse(200, target.sampleData) }, method: target.method,
                    task: target.task, httpHeaderFields: target.headers)
            },
            stubClosure: options.isStubbed
                ? MoyaProvider.streamedStub(pieceSize: 60, every: .milliseconds(40)) : MoyaProvider.neverStub,
            // A head is retried; once a word was printed nothing is.
            middleware: [.retry(attempts: 3)],
            plugins: [AccessTokenPlugin { _ in options.key }],
            deadlines: Deadlines(idle: .seconds(60), total: .seconds(30)))
    }

    /// Asks a question, prints the answer as it arrives, and keeps both for the next question.
    mutating func ask(_ question: String) async throws(MoyaError) {
        messages.append(Message(role: "user", content: question))
        var answer = ""
        let deltas = provider.events(of: .chat(messages, model: model), as: Delta.self, until: "[DONE]")
        for try await delta in deltas {
            FileHandle.standardOutput.write(Data(delta.text.utf8))
            answer += delta.text
        }
        print()
        messages.append(Message(role: "assistant", content: answer))
    }
}
