package import Foundation

extension URL {
    /// The URL's text without the parts that are never sent: fragment, user name, password.
    package var bareText: String {
        let text = absoluteString
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "@") }),
            var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        else { return text }
        components.fragment = nil
        components.user = nil
        components.password = nil
        return components.string ?? text
    }
}
