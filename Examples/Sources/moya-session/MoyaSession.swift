import Foundation
import Moya

/// Logs in to an OAuth 2 server with short-lived tokens, and makes a hundred concurrent calls, repeatedly.
///
///     moya-session URL [ROUNDS]
///
/// Its tokens are stored in a file that only their owner may read, and cleared after the last round.
@main
struct MoyaSession {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard let server = arguments.first.flatMap({ URL(string: $0) }), server.scheme != nil else {
            FileHandle.standardError.write(Data("usage: moya-session URL [ROUNDS]\n".utf8))
            exit(64)
        }
        let rounds = arguments.dropFirst().first.flatMap { Int($0) } ?? 3
        do {
            try await Client(server: server).run(rounds: rounds)
        } catch {
            FileHandle.standardError.write(Data("moya-session: \(error.localizedDescription)\n".utf8))
            exit(1)
        }
    }
}
