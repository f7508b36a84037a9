/// A user's profile.
public struct User: Codable, Sendable {
    /// The name in URLs.
    public let login: String
    /// The display name, if there is one.
    public let name: String?
    /// The location, as the user states it.
    public let location: String?
    /// The number of public repositories.
    public let repositoryCount: Int
    /// The number of users who follow this one.
    public let followers: Int
    /// The profile's page.
    public let page: String

    private enum CodingKeys: String, CodingKey {
        case login, name, location, followers
        case repositoryCount = "public_repos"
        case page = "html_url"
    }
}
