extension URLEncodedFormEncoder {
    /// The spelling of an array's name for each element.
    public enum ArrayEncoding: Sendable {
        /// `name[]=1&name[]=2`
        case brackets
        /// `name=1&name=2`
        case noBrackets
        /// `name[0]=1&name[1]=2`
        case indexInBrackets
        /// The result of the closure for the name and the index.
        @preconcurrency case custom(@Sendable (_ key: String, _ index: Int) -> String)

        func encode(_ key: String, at index: Int) -> String {
            switch self {
            case .brackets: key + "[]"
            case .noBrackets: key
            case .indexInBrackets: "\(key)[\(index)]"
            case .custom(let encode): encode(key, index)
            }
        }
    }

    /// The spelling of a nested name.
    public struct KeyPathEncoding: Sendable {
        /// Brackets: `outer[inner]`.
        public static let brackets = KeyPathEncoding { "[" + $0 + "]" }
        /// A dot: `outer.inner`.
        public static let dots = KeyPathEncoding { "." + $0 }

        private let encoding: @Sendable (_ subkey: String) -> String

        /// Makes an encoding that appends the closure's result for the inner name to the outer name.
        @preconcurrency
        public init(encoding: @escaping @Sendable (_ subkey: String) -> String) { self.encoding = encoding }

        func encode(_ subkey: String, in key: String) -> String { key + encoding(subkey) }
    }

    /// The spelling of names.
    ///
    /// The spelling applies to the whole path: `oneTwo[threeFour]` is `one_two[three_four]` in snake case, and only its
    /// first letter is capitalized.
    public enum KeyEncoding: Sendable {
        /// The original names.
        case useDefaultKeys
        /// `oneTwoThree` is `one_two_three`, `aURLString` is `a_url_string`.
        case convertToSnakeCase
        /// `oneTwoThree` is `one-two-three`, `aURLString` is `a-url-string`.
        case convertToKebabCase
        /// `oneTwoThree` is `OneTwoThree`.
        case capitalized
        /// `oneTwoThree` is `ONETWOTHREE`.
        case uppercased
        /// `oneTwoThree` is `onetwothree`.
        case lowercased
        /// The result of the closure for the path.
        @preconcurrency case custom(@Sendable (String) -> String)

        func encode(_ key: String) -> String {
            switch self {
            case .useDefaultKeys: key
            case .convertToSnakeCase: Self.words(of: key, separator: "_")
            case .convertToKebabCase: Self.words(of: key, separator: "-")
            case .capitalized: key.prefix(1).uppercased() + key.dropFirst()
            case .uppercased: key.uppercased()
            case .lowercased: key.lowercased()
            case .custom(let encode): encode(key)
            }
        }

        /// A word begins at an upper-case letter after a letter or digit that is not upper-case, and at the last of
        /// several upper-case letters before a lower-case one.
        private static func words(of key: String, separator: Unicode.Scalar) -> String {
            var words = String.UnicodeScalarView()
            let scalars = Array(key.unicodeScalars)
            for (index, scalar) in scalars.enumerated() {
                if index > 0, scalar.properties.isUppercase {
                    let previous = scalars[index - 1].properties
                    let isBeforeLowercase = index + 1 < scalars.count && scalars[index + 1].properties.isLowercase
                    if previous.isUppercase
                        ? isBeforeLowercase : previous.isAlphabetic || previous.numericType != nil
                    {
                        words.append(separator)
                    }
                }
                words.append(scalar)
            }
            return String(words).lowercased()
        }
    }
}
