import MoyaTransport

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 section 11.6.1).
package struct AuthenticationChallenge: Sendable, Hashable {
    /// The scheme in its original spelling; compared ignoring case.
    package var scheme: String
    /// The value after the scheme if it is a single token, as for Negotiate.
    package var token: String?
    /// The parameters in order, without quotes and escapes.
    package var parameters: [Parameter] = []

    /// A parameter of a challenge.
    package struct Parameter: Sendable, Hashable {
        /// The name in its original spelling; compared ignoring case.
        package var name: String
        /// The value.
        package var value: String
    }

    /// The value of the first parameter with a name.
    package func value(of name: String) -> String? {
        parameters.first { ASCII.equalIgnoringCase($0.name, name) }?.value
    }

    /// The challenges in the values of all fields with that name, in order; malformed ones are ignored.
    package static func parse(_ fieldValues: [String]) -> [AuthenticationChallenge] {
        fieldValues.flatMap { value in
            var parser = Parser(rest: value.utf8[...])
            return parser.parse()
        }
    }
}

/// Parses a list of challenges.
///
/// A comma separates both challenges and their parameters: a word before `=` is a parameter of the previous challenge,
/// any other word begins a challenge.
private struct Parser {
    var rest: Substring.UTF8View

    mutating func parse() -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        while true {
            rest = rest.drop { $0 == UInt8(ascii: ",") || ASCII.isBlank($0) }
            if rest.isEmpty { return challenges }
            guard let word = take(while: ASCII.isTokenByte) else {
                skipElement()
                continue
            }
            let beforeSpace = rest
            skip(while: ASCII.isBlank)
            if rest.first == UInt8(ascii: "="), !challenges.isEmpty {
                if let parameter = parameter(named: word) {
                    challenges[challenges.count - 1].parameters.append(parameter)
                }
            } else {
                rest = beforeSpace
                challenges.append(challenge(of: word))
            }
        }
    }

    /// The parameters of a scheme, up to its first comma.
    private mutating func challenge(of scheme: String) -> AuthenticationChallenge {
        var challenge = AuthenticationChallenge(scheme: scheme)
        guard let next = rest.first, ASCII.isBlank(next) else {
            if let next = rest.first, next != UInt8(ascii: ",") { skipElement() }
            return challenge
        }
        skip(while: ASCII.isBlank)
        if let token = token68() {
            challenge.token = token
        } else if let name = take(while: ASCII.isTokenByte) {
            skip(while: ASCII.isBlank)
            if rest.first == UInt8(ascii: "="), let parameter = parameter(named: name) {
                challenge.parameters.append(parameter)
            } else {
                skipElement()
            }
        }
        return challenge
    }

    /// `= value`, where the value is a token or a quoted string; `nil`, with the element skipped, if it is neither.
    private mutating func parameter(named name: String) -> AuthenticationChallenge.Parameter? {
        rest = rest.dropFirst()
        skip(while: ASCII.isBlank)
        let value = rest.first == UInt8(ascii: "\"") ? quotedString() : take(while: ASCII.isTokenByte)
        skip(while: ASCII.isBlank)
        let endsWell = rest.isEmpty || rest.first == UInt8(ascii: ",")
        if !endsWell { skipElement() }
        guard endsWell, let value else { return nil }
        return AuthenticationChallenge.Parameter(name: name, value: value)
    }

    /// A single token that ends the element (RFC 9110 section 11.2); nothing is consumed if there is none.
    private mutating func token68() -> String? {
        let start = rest
        let word = take { ASCII.isTokenByte($0) && !Self.notInToken68.contains($0) || $0 == UInt8(ascii: "/") }
        guard var word else { return nil }
        while rest.first == UInt8(ascii: "=") {
            word.append("=")
            rest = rest.dropFirst()
        }
        skip(while: ASCII.isBlank)
        if rest.isEmpty || rest.first == UInt8(ascii: ",") { return word }
        rest = start
        return nil
    }

    private static let notInToken68 = Array("!#$%&'*^`|".utf8)

    private mutating func quotedString() -> String? {
        rest = rest.dropFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                let text = String(decoding: bytes, as: UTF8.self)
                return ASCII.isFieldValue(text) ? text : nil
            case UInt8(ascii: "\\"): if let escaped = rest.popFirst() { bytes.append(escaped) }
            default: bytes.append(byte)
            }
        }
        return nil
    }

    /// Moves to the next comma outside quoted strings.
    private mutating func skipElement() {
        while let byte = rest.first, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") { _ = quotedString() } else { rest = rest.dropFirst() }
        }
    }

    private mutating func take(while belongs: (UInt8) -> Bool) -> String? {
        let word = rest.prefix(while: belongs)
        rest = rest[word.endIndex...]
        return word.isEmpty ? nil : String(Substring(word))
    }

    private mutating func skip(while belongs: (UInt8) -> Bool) { rest = rest.drop(while: belongs) }
}
