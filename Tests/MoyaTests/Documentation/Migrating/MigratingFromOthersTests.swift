import Foundation
import Moya
// snippet: migrating-alamofire
import MoyaSession
// end
import MoyaTesting
import MoyaTransport
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

    // snippet: migrating-alamofire, missing names
    struct PhotoUpload: URLRequestConvertible {
        let url: URL
        let body: Data

        func asURLRequest() throws -> URLRequest {
            try URLRequest(url: url, method: .post, headers: [.contentType("image/jpeg")])
        }
    }
    // end

    @Test func uploadConvertibleIsARequestAndABody() async throws {
        let server = try await LoopbackServer { exchange in
            let body = try await exchange.body()
            try await exchange.respond(200, [:], body: "\(body.count)")
        }
        let (url, photo) = (server.url, Data(count: 3))
        let session = Session()
        let ended = Gate()
        let show = Show { ended.open() }
        // snippet: migrating-alamofire, missing names
        let upload = PhotoUpload(url: url, body: photo)
        session.upload(upload.body, with: upload)
            .onURLRequestCreation { request in show(request) }
            .response { response in show(response) }
        // end
        try await ended.wait()
        #expect(show.all == ["POST", "3"])
        #expect(server.requests.first?.fields["Content-Type"] == "image/jpeg")
    }

    /// Keeps what a sample shows, and continues after the response.
    private final class Show: Sendable {
        private let shown = Lock<Set<String>>([])
        private let end: @Sendable () -> Void

        init(end: @escaping @Sendable () -> Void) { self.end = end }

        var all: Set<String> { shown.value }

        func callAsFunction(_ request: URLRequest) { shown.withLock { _ = $0.insert(request.httpMethod ?? "") } }

        func callAsFunction(_ response: AFDataResponse<Data?>) {
            shown.withLock { _ = $0.insert(String(decoding: response.data ?? Data(), as: UTF8.self)) }
            end()
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
