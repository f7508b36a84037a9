import Foundation
import Moya

/// Asks an assistant, and prints its answer word by word.
@main
struct MoyaChat {
    static func main() async {
        guard let options = Options(arguments: Array(CommandLine.arguments.dropFirst())) else {
            FileHandle.standardError.write(Data((Options.helpText + "\n").utf8))
            exit(64)
        }
        var conversation = Conversation(options)
        do throws(MoyaError) {
            guard options.question.isEmpty else { return try await conversation.ask(options.question) }
            while let question = readLine() { try await conversation.ask(question) }
        } catch {
            let reason = error.response.flatMap { try? $0.mapString(atKeyPath: "error.message") }
            let message = "moya-chat: \(error.localizedDescription)\(reason.map { ": \($0)" } ?? "")\n"
            FileHandle.standardError.write(Data(message.utf8))
            exit(1)
        }
    }
}
