import Foundation
import Moya
// snippet: migrating-alamofire
import MoyaSession
// end
import MoyaTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The samples of MIGRATING.md for code that is migrated: Alamofire alone, and URLSession.
@Suite(.timeLimit(.minutes(5))) struct MigratingFromOthersTests {
    struct Item: Decodable, Sendable { let name: String }

    private func withShop(_ body: (URL) async throws -> Void) async throws {
        let server = try await LoopbackServer { exchange in
            #expect(exchange.request.target == "/items?page=1")
            try await exchange.respond(body: #"[{"name": "Kettle"}]"#)
        }
        try await body(server.url)
        #expect(server.requestCount == 1)
    }

    @Test func codeOfAlamofiresUsersRunsOnTheSession() async throws {
        try await withShop { server in
            let url = "\(server)/items"
            let names = await withCheckedContinuation { continuation in
                let show: @Sendable ([Item]?) -> Void = { continuation.resume(returning: $0?.map(\.name)) }
                // snippet: migrating-alamofire
                AF.request(url, parameters: ["page": 1], headers: [.accept("application/json")])
                    .validate()
                    .response { response in
                        let items = response.data.flatMap { try? JSONDecoder().decode([Item].self, from: $0) }
                        show(items)
                    }
                // end
            }
            #expect(names == ["Kettle"])
        }
    }

    // snippet: migrating-urlsession
    func items(page: Int, server: URL) async throws -> [Item] {
        var url = server.appending(path: "items")
        url.append(queryItems: [URLQueryItem(name: "page", value: "\(page)")])
        var request = URLRequest(url: url)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        let (data, response) = try await URLSession.shared.data(for: request)
        guard let response = response as? HTTPURLResponse, 200..<300 ~= response.statusCode else {
            throw URLError(.badServerResponse)
        }
        return try JSONDecoder().decode([Item].self, from: data)
    }
    // end

    @Test func codeOfURLSessionsUsersRunsBesideIt() async throws {
        try await withShop { server in
            let items = try await items(page: 1, server: server)
            #expect(items.map(\.name) == ["Kettle"])
        }
    }
}
