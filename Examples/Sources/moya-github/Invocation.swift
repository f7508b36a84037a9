import Foundation
import GitHubAPI

/// The action that the command line requests.
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
    case events(user: String, isFollowed: Bool)
    case upload(file: URL, path: String)
    case multipart(file: URL, fields: [String: String], path: String)
    case download(path: String, query: [String: String], destination: URL)
}

/// The settings of a call and of its output.
struct Options: Equatable {
    /// The server.
    var baseURL = GitHub.server
    /// `true` to answer with sample data.
    var isStubbed = false
    /// `true` to log requests and responses.
    var isVerbose = false
    /// `true` to print JSON.
    var printsJSON = false
}
