/// A public action of a user.
public struct Event: Codable, Sendable {
    /// The number of the event.
    public let id: String
    /// The kind of event, such as `PushEvent`.
    public let type: String
    /// The name of the repository, after that of its owner.
    public var repositoryName: String { repository.name }

    private let repository: Repository

    private struct Repository: Codable, Sendable {
        let name: String
    }

    private enum CodingKeys: String, CodingKey {
        case id, type
        case repository = "repo"
    }
}
