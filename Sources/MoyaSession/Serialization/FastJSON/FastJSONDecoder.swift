#if FastJSON
import Foundation

/// Decodes JSON that yyjson parses; Foundation decodes rare and invalid documents.
///
/// Foundation decodes documents that yyjson does not parse (UTF-16, a byte order mark, JSON5, invalid JSON), documents with
/// more than ``FastJSONDocument/maximumDepth`` levels, and every document if keys have a custom strategy or, on Apple's
/// systems, dates have a formatter. If decoding fails, Foundation decodes again, so that each error is Foundation's.
final class FastJSONDecoder: JSONDecoder, @unchecked Sendable {
    override func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        guard let strategies = FastJSONStrategies(of: self),
            let document = FastJSONDocument(data, strategies: strategies),
            let value = try? FastJSONValueDecoder(document, document.root, nil, nil).decodeSelf(as: type)
        else { return try BoundedDepth.run(data, allowsJSON5: allowsJSON5) { try super.decode(type, from: data) } }
        return value
    }
}

/// The strategies of a decoder, read once per document.
struct FastJSONStrategies {
    /// The strategies for dates that need no formatter.
    enum Dates {
        case deferred, seconds, milliseconds, iso8601
        case custom((any Decoder) throws -> Date)
    }

    let dates: Dates
    let data: JSONDecoder.DataDecodingStrategy
    let floats: JSONDecoder.NonConformingFloatDecodingStrategy
    let convertsFromSnakeCase: Bool
    let userInfo: [CodingUserInfoKey: Any]

    /// Reads the strategies; `nil` if one of them is left to Foundation.
    init?(of decoder: JSONDecoder) {
        if decoder.allowsJSON5 || decoder.assumesTopLevelDictionary { return nil }
        switch decoder.keyDecodingStrategy {
        case .useDefaultKeys: convertsFromSnakeCase = false
        case .convertFromSnakeCase: convertsFromSnakeCase = true
        default: return nil
        }
        switch decoder.dateDecodingStrategy {
        case .deferredToDate: dates = .deferred
        case .secondsSince1970: dates = .seconds
        case .millisecondsSince1970: dates = .milliseconds
        case .iso8601: dates = .iso8601
        case .custom(let decode): dates = .custom(decode)
        // Elsewhere a formatter is a custom strategy.
        #if canImport(Darwin)
        case .formatted: return nil
        @unknown default: return nil
        #endif
        }
        data = decoder.dataDecodingStrategy
        floats = decoder.nonConformingFloatDecodingStrategy
        userInfo = decoder.userInfo
    }
}
#endif
