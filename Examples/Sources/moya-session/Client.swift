import Foundation
import Moya

/// A client that waits for connectivity, refreshes its session, and retries transient failures.
struct Client {
    static let identifier = "moya-session"

    private let server: URL
    private let tokens: FileTokenStore
    private let items: MoyaProvider<Items>

    init(server: URL) {
        self.server = server
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("moya-session-\(getpid()).json")
        tokens = FileTokenStore(file: file)
        items = MoyaProvider(middleware: [
            SessionRefresh(
                tokens: tokens, tokenURL: server.appendingPathComponent("token"), clientID: Client.identifier,
                onLogOut: { print("The session has ended; log in again.") }),
            .retry(attempts: 3),
        ])
    }

    /// Logs in, and makes a hundred calls in each round; the token expires between two rounds.
    func run(rounds: Int) async throws {
        let login = Login(server: server, user: "ole", password: "secret")
        try await tokens.save(try await MoyaProvider<Login>().request(login, as: OAuthTokens.self))
        var answers = 0
        for round in 1...max(rounds, 1) {
            if round > 1 { try await _Concurrency.Task.sleep(for: .milliseconds(2100)) }
            let before = try await tokens.load()
            answers += try await hundredAnswers()
            print("round \(round): 100 answers, \(before == (try await tokens.load()) ? "the same" : "a new") token")
        }
        try await tokens.clear()
        print("\(answers) calls, \(answers) answers")
    }

    private func hundredAnswers() async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<100 {
                group.addTask { [items, server] in
                    struct Item: Decodable, Sendable { let item: Int }
                    return try await items.request(Items(server: server, number: number), as: Item.self).item
                }
            }
            return try await group.reduce(0) { count, _ in count + 1 }
        }
    }
}
