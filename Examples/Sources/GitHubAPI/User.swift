/// A user's profile.
public struct User: Codable, Sendable {
    /// The name in URLs.
    public let login: String
    /// The name for people, where one is given.
    public let name: String?
    /// Where the user says to be.
    public let location: String?
    /// How many public repositories there are.
    public let repositoryCount: Int
    /// How many users follow this one.
    public let followers: Int
    /// The profile's page.
    public let page: String

    private enum CodingKeys: String, CodingKey {
        case login, name, location, followers
        case repositoryCount = "public_repos"
        case page = "html_url"
    }
}
