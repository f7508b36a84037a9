import Foundation

/// The command line.
struct Options: Sendable {
    var baseURL = Assistant.server
    var model = "gpt-4o-mini"
    var isStubbed = false
    /// The question; empty to read one from each line of standard input.
    var question = ""
    /// The key, which is not an argument, since other users of a machine can read those.
    var key = ProcessInfo.processInfo.environment["OPENAI_API_KEY"] ?? ""

    static let helpText = """
        usage: moya-chat [--base-url URL] [--model NAME] [--stub] [QUESTION]

        Asks an assistant with the form of OpenAI's API, and prints the words of the answer as they come. Without a
        question each line of standard input is one of a conversation. The key is that of OPENAI_API_KEY.

        Exit status: 0 done; 1 the call failed; 64 the command line is wrong.
        """

    /// Parses the arguments; `nil` if they are wrong, or request help.
    init?(arguments: [String]) {
        var rest = arguments[...]
        var words: [String] = []
        while let argument = rest.popFirst() {
            switch argument {
            case "--stub": isStubbed = true
            case "--model":
                guard let name = rest.popFirst() else { return nil }
                model = name
            case "--base-url":
                guard let url = rest.popFirst().flatMap({ URL(string: $0) }), url.host != nil else { return nil }
                baseURL = url
            case _ where argument.hasPrefix("-"): return nil
            default: words.append(argument)
            }
        }
        question = words.joined(separator: " ")
    }
}
