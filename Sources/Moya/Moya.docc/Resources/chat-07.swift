import Moya

enum Assistant {
    case chat(String)
    case feed
}

extension Assistant: TargetType, AccessTokenAuthorizable {
    var baseURL: URL {
        switch self {
        case .chat: URL(string: "https://api.openai.com")!
        case .feed: URL(string: "https://api.example.com")!
        }
    }

    var path: String {
        switch self {
        case .chat: "/v1/chat/completions"
        case .feed: "/feed"
        }
    }

    var method: Moya.Method { if case .chat = self { .post } else { .get } }

    var task: Task {
        switch self {
        case .chat(let prompt):
            .requestJSONEncodable(Question(messages: [["role": "user", "content": prompt]]))
        case .feed: .requestPlain
        }
    }

    var headers: [String: String]? { nil }

    var authorizationType: AuthorizationType? { if case .chat = self { .bearer } else { nil } }

    var sampleData: Data {
        let words = ["Let ", "it ", "stream", "."]
        let events =
            switch self {
            case .chat: words.map { #"data: {"choices": [{"delta": {"content": "\#($0)"}}]}"# } + ["data: [DONE]"]
            case .feed: ["id: 1\ndata: Hello.", "id: 2\ndata: Hello again."]
            }
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

    for try await event in assistant.events(of: .feed, reconnecting: isOffline ? nil : .default) {
        print(event.id ?? "", event.type, event.data)
    }
} catch {
    print("The assistant did not answer:", error.response?.statusCode ?? 0, error.localizedDescription)
}
