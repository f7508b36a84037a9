public import Foundation

extension JSONDecoder {
    /// The decoder of calls without an explicit one, with Foundation's default strategies.
    ///
    /// Each access creates a new decoder, whose strategies can be changed. With the trait `FastJSON` it parses documents with
    /// yyjson; without the trait it is Foundation's `JSONDecoder`.
    public static var moyaDefault: JSONDecoder {
        #if FastJSON
        FastJSONDecoder()
        #else
        JSONDecoder()
        #endif
    }
}
