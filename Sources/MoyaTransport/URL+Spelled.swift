package import Foundation

extension URL {
    /// Makes the URL that a string spells; `nil` where a character would have to be escaped first.
    package init?(spelled text: String) {
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
            self.init(string: text, encodingInvalidCharacters: false)
        } else {
            // Foundation escapes nothing there.
            self.init(string: text)
        }
    }
}
