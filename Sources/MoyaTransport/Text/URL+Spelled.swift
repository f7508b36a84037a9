package import Foundation

extension URL {
    /// Makes the URL with exactly this spelling; `nil` if a character would have to be escaped first.
    package init?(spelled text: String) {
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
            self.init(string: text, encodingInvalidCharacters: false)
        } else {
            // Foundation escapes nothing on this platform.
            self.init(string: text)
        }
    }
}
