import Foundation
import GitHubAPI

/// What the command line asks for.
enum Invocation: Equatable {
    /// The help text.
    case help
    /// A call.
    case run(Command, Options)
}

/// One call.
enum Command: Equatable {
    case zen
    case user(name: String)
    case repositories(user: String, page: Int)
    case upload(file: URL, path: String)
    case multipart(file: URL, fields: [String: String], path: String)
    case download(path: String, query: [String: String], destination: URL)
}

/// How a call is made and its result shown.
struct Options: Equatable {
    /// The server.
    var baseURL = GitHub.server
    /// Whether to answer with sample data.
    var isStubbed = false
    /// Whether to log requests and responses.
    var isVerbose = false
    /// Whether to print JSON.
    var printsJSON = false
}
