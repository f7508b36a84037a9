import Foundation
import Moya

/// The calls of an OpenAI-style API.
enum Assistant: Sendable {
    /// The answer to a conversation, streamed.
    case chat([Message], model: String)
}

/// A part of a conversation.
struct Message: Codable, Sendable {
    var role: String
    var content: String
}

/// A piece of an answer.
struct Delta: Decodable, Sendable {
    private struct Choice: Decodable, Sendable {
        struct Content: Decodable, Sendable { let content: String? }
        let delta: Content
    }

    private let choices: [Choice]

    /// The text of the piece; empty if it has none.
    var text: String { choices.first?.delta.content ?? "" }
}

extension Assistant: TargetType, AccessTokenAuthorizable {
    /// OpenAI's own server.
    static let server = URL(string: "https://api.openai.com")!

    var baseURL: URL { Self.server }
    var path: String { "/v1/chat/completions" }
    var method: Moya.Method { .post }
    var authorizationType: AuthorizationType? { .bearer }
    var headers: [String: String]? { nil }

    var task: Moya.RequestTask {
        switch self {
        case .chat(let messages, let model):
            .requestJSONEncodable(Body(model: model, stream: true, messages: messages))
        }
    }

    /// A response of five words.
    var sampleData: Data {
        let words = ["This", " answer", " is", " a", " sample."]
        return Data(
            (words.map { "data: {\"choices\":[{\"delta\":{\"content\":\"\($0)\"}}]}\n\n" } + ["data: [DONE]\n\n"])
                .joined().utf8)
    }

    private struct Body: Encodable, Sendable {
        let model: String
        let stream: Bool
        let messages: [Message]
    }
}
