#if FastJSON
import Foundation

/// The result of decoding as text, so that decoders can be compared: the value, or the error's case, type and coding path.
struct DecodingOutcome {
    let text: String

    init<T>(_ decode: () throws -> T) {
        do {
            text = "\(T.self): \(String(reflecting: try decode()))"
        } catch {
            text = Self.text(of: error)
        }
    }

    /// The error in words that do not depend on the decoder's descriptions.
    static func text(of error: any Error) -> String {
        switch error {
        case DecodingError.typeMismatch(let type, let context): "mismatch \(type) at \(path(context))"
        case DecodingError.valueNotFound(let type, let context): "no value \(type) at \(path(context))"
        case DecodingError.keyNotFound(let key, let context): "no key \(key.stringValue) at \(path(context))"
        // Numbers that do not fit are internal errors in Foundation until they leave the decoder.
        default: "corrupted"
        }
    }

    private static func path(_ context: DecodingError.Context) -> String {
        path(context.codingPath)
    }

    /// A coding path, keys and positions joined by slashes.
    static func path(_ keys: [any CodingKey]) -> String {
        keys.map { key in key.intValue.map(String.init) ?? key.stringValue }.joined(separator: "/")
    }
}

/// A value that keeps the error of another instead of failing with it, as code does that tries one type after the other.
struct Caught<Value: Decodable>: Decodable, CustomDebugStringConvertible {
    let debugDescription: String

    init(from decoder: any Decoder) throws {
        debugDescription = DecodingOutcome { try Value(from: decoder) }.text
    }
}

/// A value in a member or element that keeps its error.
struct CaughtInside<Value: Decodable>: Decodable, CustomDebugStringConvertible {
    let debugDescription: String

    init(from decoder: any Decoder) throws {
        var attempts: [String] = []
        if let container = try? decoder.container(keyedBy: AnyKey.self) {
            for name in ["a", "b", "é"] {
                let key = AnyKey(name)
                attempts.append(DecodingOutcome { try container.decode(Value.self, forKey: key) }.text)
                attempts.append(DecodingOutcome { try container.decodeIfPresent(Value.self, forKey: key) }.text)
                attempts.append(DecodingOutcome { try container.decodeNil(forKey: key) }.text)
                attempts.append(DecodingOutcome { try container.superDecoder(forKey: key).codingPath.count }.text)
                attempts.append(DecodingOutcome { try Value(from: container.superDecoder(forKey: key)) }.text)
                attempts.append(
                    DecodingOutcome { try container.nestedUnkeyedContainer(forKey: key).codingPath.count }.text)
                attempts.append(
                    DecodingOutcome { try container.nestedContainer(keyedBy: AnyKey.self, forKey: key).allKeys.count }
                        .text)
            }
            attempts.append(container.allKeys.map(\.stringValue).sorted().joined(separator: ","))
            attempts.append(DecodingOutcome { try Value(from: container.superDecoder()) }.text)
        }
        if var container = try? decoder.unkeyedContainer() {
            attempts.append("\(container.count ?? -1)")
            for _ in 0..<3 {
                attempts.append(DecodingOutcome { try container.decode(Value.self) }.text)
                attempts.append(DecodingOutcome { try container.decodeNil() }.text)
                attempts.append("\(container.currentIndex) \(container.isAtEnd)")
            }
            // At the end Foundation goes on counting.
            if !container.isAtEnd {
                attempts.append(DecodingOutcome { try container.decodeIfPresent(Value.self) }.text)
            }
            if !container.isAtEnd {
                attempts.append(
                    DecodingOutcome { try container.nestedContainer(keyedBy: AnyKey.self).allKeys.count }.text)
            }
            if !container.isAtEnd {
                attempts.append(DecodingOutcome { try container.nestedUnkeyedContainer().currentIndex }.text)
            }
            if !container.isAtEnd {
                attempts.append(DecodingOutcome { try Value(from: container.superDecoder()) }.text)
            }
            attempts.append("\(container.currentIndex) \(container.isAtEnd)")
        }
        if let container = try? decoder.singleValueContainer() {
            attempts.append(DecodingOutcome { try container.decode(Value.self) }.text)
            attempts.append("\(container.decodeNil()) \(DecodingOutcome.path(container.codingPath))")
        }
        debugDescription = attempts.joined(separator: "; ")
    }
}

/// A key of any name.
struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
#endif
