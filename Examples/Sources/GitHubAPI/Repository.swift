/// A repository, as a list of them shows it.
public struct Repository: Codable, Sendable {
    /// Owner and name, with a slash between.
    public let fullName: String
    /// The description, where there is one.
    public let description: String?
    /// The language most of it is written in.
    public let language: String?
    /// The number of users who starred it.
    public let stars: Int
    /// `true` if it is a copy of another repository.
    public let isFork: Bool

    private enum CodingKeys: String, CodingKey {
        case description, language
        case fullName = "full_name"
        case stars = "stargazers_count"
        case isFork = "fork"
    }
}
