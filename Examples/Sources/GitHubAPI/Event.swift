/// Something that a user did in public.
public struct Event: Codable, Sendable {
    /// The number of the event.
    public let id: String
    /// The kind of event, such as `PushEvent`.
    public let type: String
    /// The name of the repository, with its owner's before it.
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
