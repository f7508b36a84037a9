import Foundation

extension URL {
    /// A URL that a test is sure of.
    static func sure(_ text: String) -> URL { URL(string: text)! }
}
