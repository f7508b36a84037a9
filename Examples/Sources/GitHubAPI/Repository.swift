/// A repository in a list.
public struct Repository: Codable, Sendable {
    /// Owner and name, separated by a slash.
    public let fullName: String
    /// The description, if there is one.
    public let description: String?
    /// The main programming language.
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
