/// Names whose values are secrets: of header fields, query items, form fields, JSON members, XML elements.
///
/// A name is split into words at every sign, digit and change of case: `X-Amz-Security-Token`, `clientSecret`,
/// `user[api_key]`. So `key`, `auth` and `pin` are secrets, while `keyboard`, `author` and `pinned` stay readable. The
/// key of an unknown owner is a secret in the form of a header field: `X-Tenant-Key`, but not `sortKey`.
package enum SecretNames {
    /// `true` if a name usually denotes a secret.
    package static func contains(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { contains($0) }
    }

    static func contains(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard
            isWholeName(name) || isKeyField(name) || holdsSecretWord(name, endsAbbreviations: false)
                || (hasAbbreviation(name) && holdsSecretWord(name, endsAbbreviations: true))
        else { return false }
        return !isDescription(name)
    }

    /// `true` if a name denotes the type of a token, or the URL that returns one: `token_type`, `token_endpoint`.
    private static func isDescription(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let (previous, last, _) = lastWords(of: name)
        return last == endpoint || last == type && previous == token
    }

    /// `true` if a name counts or measures something, so that a number is no secret: `max_tokens`, `session_timeout`.
    static func isCount(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let (_, last, hasTokens) = lastWords(of: name)
        return hasTokens || measures.contains(last)
    }

    private static func lastWords(of name: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64, hasTokens: Bool) {
        var (previous, last): (UInt64, UInt64) = (0, 0)
        var hasTokens = false
        var start = 0
        while let word = nextWord(of: name, from: start, false) {
            start = word.upperBound
            (previous, last) = (last, hash(name, word))
            if last == tokens { hasTokens = true }
        }
        return (previous, last, hasTokens)
    }

    private static let (endpoint, type, token, tokens) = (hash("endpoint"), hash("type"), hash("token"), hash("tokens"))
    private static let measures = WordTable(hashes("count expires length limit size timeout ttl"))

    /// - Parameter endsAbbreviations: `true` to split `APIkey` behind its capitals instead of before the last one.
    private static func holdsSecretWord(_ name: UnsafeBufferPointer<UInt8>, endsAbbreviations: Bool) -> Bool {
        var (earlier, previous): (UInt64, UInt64) = (0, 0)
        var start = 0
        while let word = nextWord(of: name, from: start, endsAbbreviations) {
            start = word.upperBound
            let hash = hash(name, word)
            if words.contains(hash) || holdsStem(name, word) || endsWithAbbreviation(name, word) { return true }
            if previous != 0, words.contains(previous &* 31 ^ hash) { return true }
            // `code` alone and `timeCode` are everyday words.
            if earlier != 0, oneTimeCode.contains((earlier &* 31 ^ previous) &* 31 ^ hash) { return true }
            (earlier, previous) = (previous, hash)
        }
        return false
    }

    /// `true` if a small letter follows two capitals.
    private static func hasAbbreviation(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.count > 2 else { return false }
        return (2..<name.count).contains { isLower(name[$0]) && isUpper(name[$0 - 1]) && isUpper(name[$0 - 2]) }
    }

    /// `true` if a name denotes a secret in a URL, a form or JSON, but is an everyday word in prose: `Code=-1001`,
    /// `State: idle`, `authentication: digest`.
    static func isAmbiguous(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        everydayWords.contains(hash(name, 0..<wordEnd(of: name)))
    }

    // MARK: Words

    private static let everydayWords = WordTable(hashes("authentication code key state"))

    /// Names that are secrets alone or as the last part of a path, but harmless within a longer name.
    private static let wholeNames = WordTable(hashes("authentication code dpop key state"))

    /// Words before `-Key` in the names of header fields without secrets.
    private static let harmlessKeys = WordTable(
        hashes("cache foreign idempotency partition public sort surrogate websocket"))

    /// Words that are secrets alone, and pairs of words.
    private static let words = WordTable(singleWords + pairs)

    private static let oneTimeCode = WordTable([(hash("one") &* 31 ^ hash("time")) &* 31 ^ hash("code")])

    private static let singleWords = hashes(
        """
        adminpass adminpw assertion auth authentication authorization authpass bearer cookie cookies creds \
        credential credentials csc csrf cvc cvv cvn dbpass dbpw hmac jsessionid jwt loginpass mfa mypass oauth \
        onetimecode otp pass passcode passphrase passwd passwords password passwrd phpsessid pin pincode pkce psk \
        psw pswd pw rootpass rootpw saml secret secrets session sessions sid sig signature smtppass ssn ticket token \
        tokens totp userpass userpw whsec xsrf
        """)

    /// Words that denote a secret only next to each other, also when joined.
    private static let pairs: [UInt64] = {
        let qualifiers = [
            "key": """
            access account activation admin aes api app application auth cipher client consumer customer decryption \
            deploy device enc encryption functions hash hmac host license mac master pgp preshared primary priv \
            private recovery root rsa sas secondary security server service session shared signing ssh storage \
            subscription webhook
            """,
            "keys": "access account api client encryption host private shared signing ssh storage subscription",
            "code": """
            access activation auth authz backup confirmation device factor invitation invite login oob recovery \
            reset sms user verification verify security
            """,
            "codes": "backup recovery", "string": "connection key secure", "material": "key",
            "phrase": "recovery seed", "data": "oidc",
            "verifier": "code", "ssid": "php", "answer": "security", "number": "card security",
        ]
        return qualifiers.reduce(into: []) { pairs, entry in
            for word in entry.value.split(separator: " ") {
                pairs.append(hash(word) &* 31 ^ hash(entry.key[...]))
                pairs.append(hash(word + entry.key))
            }
        }
    }()

    /// Stems that make any word that contains them a secret: `accesstoken`, `mypassword`, `xapikey`.
    private static let stems: [[UInt8]] = [
        "token", "passw", "passphrase", "secret", "apikey", "accesskey", "privatekey", "subscriptionkey", "credential",
        "authorization", "signature", "sessionid", "sessid",
    ].map { Array($0.utf8) }

    /// The first two letters of the stems, which are absent from most positions of a word.
    private static let stemBeginnings: [Bool] = {
        var beginnings = [Bool](repeating: false, count: 32 * 32)
        for stem in stems { beginnings[beginning(stem[0], stem[1])] = true }
        return beginnings
    }()

    /// A number for two letters, ignoring case.
    private static func beginning(_ first: UInt8, _ second: UInt8) -> Int { Int(first & 31) << 5 | Int(second & 31) }

    // MARK: Bytes

    private static func isWholeName(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let end = wordEnd(of: name)
        var start = end
        while start > 0,
            isWordByte(name[start - 1]) || name[start - 1] == UInt8(ascii: "-")
                || name[start - 1] == UInt8(ascii: "_")
        { start -= 1 }
        return start < end && wholeNames.contains(hash(name, start..<end))
    }

    /// The end of a name without signs and a number: `key` in `user[key]` and `key_1`.
    private static func wordEnd(of name: UnsafeBufferPointer<UInt8>) -> Int {
        var end = name.count
        while end > 0, !isLetter(name[end - 1]) { end -= 1 }
        return end
    }

    /// `true` if a name ends with `-Key` after a word, unless that word makes it harmless.
    private static func isKeyField(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let end = name.count - 4
        guard end > 0, name[end] == UInt8(ascii: "-"), isWordByte(name[end - 1]),
            name[(end + 1)...].elementsEqual("key".utf8, by: { ASCII.lowercased($0) == $1 })
        else { return false }
        var start = end
        while start > 0, isLetter(name[start - 1]) { start -= 1 }
        return !harmlessKeys.contains(hash(name, start..<end))
    }

    /// The next run of letters in which the case does not rise: `API` and `Key` of `APIKey`, `sub` of `sub2`.
    private static func nextWord(
        of name: UnsafeBufferPointer<UInt8>, from position: Int, _ endsAbbreviations: Bool
    ) -> Range<Int>? {
        var start = position
        while start < name.count, !isLetter(name[start]) { start += 1 }
        guard start < name.count else { return nil }
        var end = start + 1
        while end < name.count, isLetter(name[end]) {
            if isUpper(name[end]) {
                // A capital after a small letter, or before one, starts a word.
                if !isUpper(name[end - 1]) { break }
                if !endsAbbreviations, end + 1 < name.count, isLower(name[end + 1]) { break }
            } else if endsAbbreviations, end - start > 1, isUpper(name[end - 1]) {
                break
            }
            end += 1
        }
        return start..<end
    }

    private static func holdsStem(_ name: UnsafeBufferPointer<UInt8>, _ word: Range<Int>) -> Bool {
        guard word.count > 5 else { return false }
        let beginnings = stemBeginnings
        // Every stem has at least five letters.
        for start in word.lowerBound..<word.upperBound - 4 where beginnings[beginning(name[start], name[start + 1])] {
            for stem in stems where stem.count <= word.upperBound - start {
                var index = 0
                while index < stem.count, ASCII.lowercased(name[start + index]) == stem[index] { index += 1 }
                if index == stem.count { return true }
            }
        }
        return false
    }

    /// `true` for `pwd`, alone or after other letters, with which no word of English ends: `dbpwd`.
    private static func endsWithAbbreviation(_ name: UnsafeBufferPointer<UInt8>, _ word: Range<Int>) -> Bool {
        guard word.count > 2, ASCII.lowercased(name[word.upperBound - 1]) == UInt8(ascii: "d") else { return false }
        return name[word.suffix(3)].elementsEqual("pwd".utf8) { ASCII.lowercased($0) == $1 }
    }

    private static func isUpper(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }

    private static func isLower(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }

    private static func isLetter(_ byte: UInt8) -> Bool { isUpper(byte) || isLower(byte) || byte >= 0x80 }

    private static func isWordByte(_ byte: UInt8) -> Bool { isLetter(byte) || ASCII.isDigit(byte) }

    /// FNV-1a of a word in lower case.
    ///
    /// Another word with the same hash would be masked too, which is harmless.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>, _ word: Range<Int>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in word { hash = (hash ^ UInt64(ASCII.lowercased(name[index]))) &* 0x100_0000_01B3 }
        return hash
    }

    private static func hash(_ word: Substring) -> UInt64 {
        var word = String(word)
        return word.withUTF8 { hash($0, 0..<$0.count) }
    }

    private static func hashes(_ words: String) -> [UInt64] { words.split(separator: " ").map { hash($0) } }
}

/// A set of word hashes that rejects most other words with a single probe.
private struct WordTable: Sendable {
    /// At least four slots per hash; 0 is an empty slot.
    private var slots: [UInt64]

    init(_ hashes: [UInt64]) {
        var count = 16
        while count < hashes.count * 4 { count *= 2 }
        slots = Array(repeating: 0, count: count)
        for hash in hashes where !contains(hash) { slots[slot(of: hash)] = hash }
    }

    func contains(_ hash: UInt64) -> Bool { slots[slot(of: hash)] != 0 }

    /// The slot of a hash, or the empty slot for it.
    private func slot(of hash: UInt64) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash >> 32) & mask
        while slots[slot] != 0, slots[slot] != hash { slot = (slot + 1) & mask }
        return slot
    }
}
