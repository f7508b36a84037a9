import Foundation
import Moya

/// The reason that the program failed.
enum Failure: Error {
    /// The command line is wrong.
    case usage(String)
    /// The call failed, or its response was unexpected.
    case call(MoyaError)
    /// A file cannot be read or written.
    case file(String)

    /// The exit status of the program; see `--help`.
    var exitStatus: Int32 {
        switch self {
        case .usage: 64
        case .call(let error): error.response == nil ? 2 : 1
        case .file: 74
        }
    }

    /// The text on standard error.
    var message: String {
        switch self {
        case .usage(let message): "\(message)\nTry moya-github --help."
        case .call(let error): Self.describe(error)
        case .file(let message): message
        }
    }

    private static func describe(_ error: MoyaError) -> String {
        guard let response = error.response else { return error.localizedDescription }
        guard !(200..<300).contains(response.statusCode) else {
            return "the server's answer is not what was expected: \(error.localizedDescription)"
        }
        let url = response.request?.url?.absoluteString ?? "the server"
        // GitHub explains itself in a JSON object with a message.
        let reason = (try? response.mapString(atKeyPath: "message")).map { ": \($0)" } ?? ""
        return "\(url) answered \(response.statusCode)\(reason)"
    }
}
