import Foundation
import Moya
import Testing

/// The samples of the article GettingStarted.
@Suite struct GettingStartedSamples {
    // snippet: target
    enum GitHub: TargetType {
        case zen
        case user(String)
        case repositories(String, page: Int)

        var baseURL: URL { URL(string: "https://api.github.com")! }

        var path: String {
            switch self {
            case .zen: "/zen"
            case .user(let name): "/users/\(name)"
            case .repositories(let name, _): "/users/\(name)/repos"
            }
        }

        var method: Moya.Method { .get }

        var task: Task {
            switch self {
            case .zen, .user: .requestPlain
            case .repositories(_, let page):
                .requestParameters(parameters: ["page": page], encoding: URLEncoding.queryString)
            }
        }

        var headers: [String: String]? { ["Accept": "application/vnd.github+json"] }

        var sampleData: Data {
            switch self {
            case .zen: Data("Half measures are as bad as nothing at all.".utf8)
            case .user(let name): Data(#"{"login": "\#(name)", "public_repos": 8}"#.utf8)
            case .repositories: Data("[]".utf8)
            }
        }
    }
    // end

    // snippet: model
    struct User: Decodable, Sendable {
        let login: String
        let publicRepos: Int

        enum CodingKeys: String, CodingKey {
            case login
            case publicRepos = "public_repos"
        }
    }
    // end

    private func call() async throws {
        // snippet: call
        let github = MoyaProvider<GitHub>()
        let user = try await github.request(.user("octocat"), as: User.self)
        print(user.login, user.publicRepos)
        // end
    }

    private func response(_ github: MoyaProvider<GitHub>) async throws {
        // snippet: response
        let response = try await github.request(.zen)
        print(response.statusCode, response.data.count)
        let zen = try response.filterSuccessfulStatusCodes().mapString()
        // end
        print(zen)
    }

    private func failure(_ github: MoyaProvider<GitHub>) async {
        // snippet: failure
        do {
            let user = try await github.request(.user("nobody"), as: User.self)
            print(user.login)
        } catch {
            print(error.response?.statusCode ?? 0, error.localizedDescription)
        }
        // end
    }

    private func failureInAClosure(_ github: MoyaProvider<GitHub>) {
        // snippet: failureInAClosure
        _Concurrency.Task {
            do throws(MoyaError) {
                print(try await github.request(.zen).statusCode)
            } catch {
                print(error.response?.statusCode ?? 0)
            }
        }
        // end
    }

    private func closure(_ github: MoyaProvider<GitHub>) {
        // snippet: closure
        let call = github.request(.zen) { result in
            switch result {
            case .success(let response): print(response.statusCode)
            case .failure(let error): print(error.localizedDescription)
            }
        }
        call.cancel()
        // end
    }

    @Test func aStubNeedsNoNetwork() async throws {
        // snippet: stub
        let github = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
        let user = try await github.request(.user("octocat"), as: User.self)
        // end
        #expect(user.publicRepos == 8)
    }
}
