import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A program that makes one call with Foundation's client, and ends with the decoded response.
@main
enum StartURLSession {
    static func main() async throws {
        guard let server = CommandLine.arguments.dropFirst().first.flatMap({ URL(string: $0) }) else { exit(64) }
        let (data, response) = try await URLSession.shared.data(from: server.appendingPathComponent("small"))
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { exit(1) }
        let user = try JSONDecoder().decode(User.self, from: data)
        FileHandle.standardOutput.write(Data("\(user.id)\n".utf8))
        _exit(0)
    }
}

private struct User: Decodable {
    let login: String
    let id: Int
}
