package import Foundation

extension URL {
    /// The URL's text without the parts that are never sent: fragment, user name, password.
    package var bareText: String {
        var text = absoluteString
        let mayHaveMore = text.withUTF8 { $0.contains { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "@") } }
        guard mayHaveMore, var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        else { return text }
        components.fragment = nil
        components.user = nil
        components.password = nil
        return components.string ?? text
    }
}
