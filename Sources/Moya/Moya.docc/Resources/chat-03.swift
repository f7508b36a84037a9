import Moya

enum Assistant {
    case chat(String)
}

extension Assistant: TargetType {
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

let assistant = MoyaProvider<Assistant>()

for try await delta in assistant.events(of: .chat("Why do streams flow?"), as: Delta.self, until: "[DONE]") {
    FileHandle.standardOutput.write(Data(delta.text.utf8))
}
print()
