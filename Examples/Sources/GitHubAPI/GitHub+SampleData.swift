public import Foundation

extension GitHub {
    /// The response body of a stub.
    public var sampleData: Data {
        switch self {
        case .zen:
            Data("Half measures are as bad as nothing at all.".utf8)
        case .profile:
            Data(
                """
                {"login": "octocat", "name": "A Sample", "location": null, "public_repos": 2, "followers": 7,
                 "html_url": "https://github.com/octocat"}
                """.utf8)
        case .repositories:
            Data(
                """
                [{"full_name": "octocat/first", "description": "A sample.", "language": "Swift",
                  "stargazers_count": 3, "fork": false},
                 {"full_name": "octocat/second", "description": null, "language": null,
                  "stargazers_count": 0, "fork": true}]
                """.utf8)
        case .events:
            Data(
                """
                [{"id": "2", "type": "WatchEvent", "repo": {"name": "octocat/first"}},
                 {"id": "1", "type": "PushEvent", "repo": {"name": "octocat/first"}}]
                """.utf8)
        case .feed:
            Data(
                """
                id: 1
                data: {"id": "1", "type": "PushEvent", "repo": {"name": "octocat/first"}}

                id: 2
                data: {"id": "2", "type": "WatchEvent", "repo": {"name": "octocat/first"}}


                """.utf8)
        }
    }
}
