import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A program that makes one call with AsyncHTTPClient's shared client, and ends with the decoded response.
@main
enum StartAsyncHTTPClient {
    static func main() async throws {
        guard let server = CommandLine.arguments.dropFirst().first else { exit(64) }
        let response = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: "\(server)/small"), timeout: .seconds(30))
        guard response.status == .ok else { exit(1) }
        let body = try await response.body.collect(upTo: 1 << 20)
        let user = try JSONDecoder().decode(User.self, from: Data(body.readableBytesView))
        print(user.id)
        fflush(nil)
        _exit(0)
    }
}

private struct User: Decodable {
    let login: String
    let id: Int
}
