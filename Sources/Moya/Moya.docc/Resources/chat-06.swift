import Moya

enum Assistant {
    case chat(String)
}

extension Assistant: TargetType, AccessTokenAuthorizable {
    var baseURL: URL { URL(string: "https://api.openai.com")! }

    var path: String { "/v1/chat/completions" }

    var method: Moya.Method { .post }

    var task: Task {
        switch self {
        case .chat(let prompt):
            .requestJSONEncodable(Question(messages: [["role": "user", "content": prompt]]))
        }
    }

    var headers: [String: String]? { nil }

    var authorizationType: AuthorizationType? { .bearer }

    var sampleData: Data {
        let words = ["Let ", "it ", "stream", "."]
        let events = words.map { #"data: {"choices": [{"delta": {"content": "\#($0)"}}]}"# } + ["data: [DONE]"]
        return Data(events.map { $0 + "\n\n" }.joined().utf8)
    }
}

struct Question: Encodable, Sendable {
    let model = "gpt-4o-mini"
    let stream = true
    let messages: [[String: String]]
}

struct Delta: Decodable, Sendable {
    struct Choice: Decodable, Sendable {
        struct Content: Decodable, Sendable {
            let content: String?
        }

        let delta: Content
    }

    let choices: [Choice]

    var text: String { choices.first?.delta.content ?? "" }
}

let key = ProcessInfo.processInfo.environment["OPENAI_API_KEY"] ?? ""
let isOffline = CommandLine.arguments.contains("--offline")
let assistant = MoyaProvider<Assistant>(
    stubClosure: isOffline
        ? MoyaProvider.streamedStub(pieceSize: 20, every: .milliseconds(50)) : MoyaProvider.neverStub,
    plugins: [AccessTokenPlugin { _ in key }])

do {
    for try await delta in assistant.events(of: .chat("Why do streams flow?"), as: Delta.self, until: "[DONE]") {
        FileHandle.standardOutput.write(Data(delta.text.utf8))
    }
    print()
} catch {
    print("The assistant did not answer:", error.response?.statusCode ?? 0, error.localizedDescription)
}
