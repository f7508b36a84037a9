#if FastJSON
import Foundation

extension String {
    /// The key in camel case, as Foundation's `convertFromSnakeCase` makes it.
    ///
    /// Underscores at the beginning and end stay, and a key without others is left as it is.
    var convertedFromSnakeCase: String {
        guard let start = firstIndex(where: { $0 != "_" }), let last = lastIndex(where: { $0 != "_" }) else {
            return self
        }
        let end = index(after: last)
        let words = self[start..<end].split(separator: "_")
        guard words.count > 1 else { return self }
        let name = words[0].lowercased() + words.dropFirst().map(\.capitalized).joined()
        return self[..<start] + name + self[end...]
    }
}
#endif
