import Foundation
import MoyaSession
import Testing

@Suite struct URLEncodedFormEncoderValuesTests {
    private func value(_ value: some Encodable, _ encoder: URLEncodedFormEncoder = .init()) throws -> String {
        let text = try form(Pair(value), encoder)
        #expect(text.hasPrefix("v="))
        return String(text.dropFirst(2))
    }

    // MARK: Numbers

    static let numbers: [(any Encodable & Sendable, String)] = [
        (Int.min, "-9223372036854775808"), (Int8.min, "-128"), (Int16.min, "-32768"), (Int32.min, "-2147483648"),
        (Int64.max, "9223372036854775807"), (Int128.max, "170141183460469231731687303715884105727"),
        (UInt.max, "18446744073709551615"), (UInt8.max, "255"), (UInt16.max, "65535"), (UInt32.max, "4294967295"),
        (UInt64.max, "18446744073709551615"), (UInt128.max, "340282366920938463463374607431768211455"),
        (Float(1), "1.0"), (Float(1.1), "1.1"), (1.0, "1.0"), (-0.5, "-0.5"), (0.1 + 0.2, "0.30000000000000004"),
        (1e100, "1e+100"), (CGFloat(2), "2.0"), (Decimal(1), "1"), (Decimal(string: "1.123456") ?? 0, "1.123456"),
        (Decimal(string: "-12345678901234567890.5") ?? 0, "-12345678901234567890.5"),
    ]

    @Test(arguments: numbers.indices) func numberPrintsTheSameEverywhere(index: Int) throws {
        let (number, text) = Self.numbers[index]
        // Once as a property, once as an element, once optional: each takes another way.
        func check(_ number: some Encodable) throws {
            #expect(try value(number) == text)
            #expect(try form(Pair([number])) == "v[]=\(text)")
            #expect(try form(Pair(Optional(number))) == "v=\(text)")
        }
        try check(number)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity]) func dateThatIsNoMomentIsAnError(seconds: Double) {
        let date = Pair(Date(timeIntervalSince1970: seconds))
        for encoding in [URLEncodedFormEncoder.DateEncoding.iso8601, .formatted(Self.formatter)] {
            #expect(throws: EncodingError.self) { try form(date, URLEncodedFormEncoder(dateEncoding: encoding)) }
        }
    }

    struct EveryType: Encodable {
        var a: Bool? = true
        var b: String? = "s"
        var c: Double? = 1
        var d: Float? = 1
        var e: Int? = 1
        var f: Int8? = 1
        var g: Int16? = 1
        var h: Int32? = 1
        var i: Int64? = 1
        var j: Int128? = 1
        var k: UInt? = 1
        var l: UInt8? = 1
        var m: UInt16? = 1
        var n: UInt32? = 1
        var o: UInt64? = 1
        var p: UInt128? = 1
        var q: Decimal? = 1
    }

    @Test func optionalPropertiesOfEveryTypeAreEncoded() throws {
        let text = try form(EveryType())
        #expect(
            text == "a=1&b=s&c=1.0&d=1.0&e=1&f=1&g=1&h=1&i=1&j=1&k=1&l=1&m=1&n=1&o=1&p=1&q=1")
    }

    @Test func optionalPropertiesOfEveryTypeCanBeNil() throws {
        let nothing = EveryType(
            a: nil, b: nil, c: nil, d: nil, e: nil, f: nil, g: nil, h: nil, i: nil, j: nil, k: nil, l: nil, m: nil,
            n: nil, o: nil, p: nil, q: nil)
        let names = "abcdefghijklmnopq".map { "\($0)=" }
        #expect(try form(nothing, .init(nilEncoding: .dropValue)) == names.joined(separator: "&"))
        #expect(try form(nothing) == "")
    }

    // MARK: Booleans

    @Test(arguments: [(true, "1"), (false, "0")]) func booleanIsANumber(bool: Bool, text: String) throws {
        #expect(try value(bool) == text)
    }

    @Test(arguments: [(true, "true"), (false, "false")]) func booleanCanBeAWord(bool: Bool, text: String) throws {
        let encoder = URLEncodedFormEncoder(boolEncoding: .literal)
        #expect(try value(bool, encoder) == text)
        #expect(try form(Pair([bool]), encoder) == "v[]=\(text)")
        #expect(try form(Pair(1), encoder) == "v=1")
    }

    // MARK: Data

    static let bytes = Data("data".utf8)

    @Test func dataIsBase64() throws {
        let pairs: String = try URLEncodedFormEncoder().encode(Pair(Self.bytes))
        #expect(pairs == "v=ZGF0YQ%3D%3D")
    }

    @Test func dataCanBeANumberEach() throws {
        let encoder = URLEncodedFormEncoder(alphabetizeKeyValuePairs: false, dataEncoding: .deferredToData)
        #expect(try form(Pair(Self.bytes), encoder) == "v[]=100&v[]=97&v[]=116&v[]=97")
    }

    @Test func dataCanComeFromAClosure() throws {
        #expect(try value(Self.bytes, .init(dataEncoding: .custom { "\($0.count) bytes" })) == "4 bytes")
    }

    @Test func errorOfADataClosureIsRethrown() {
        struct Cause: Error {}
        #expect(throws: Cause.self) { try form(Pair(Self.bytes), .init(dataEncoding: .custom { _ in throw Cause() })) }
    }

    // MARK: Dates

    static let date = Date(timeIntervalSinceReferenceDate: 123.456)

    static let dateEncodings: [(URLEncodedFormEncoder.DateEncoding, String)] = [
        (.deferredToDate, "123.456"), (.secondsSince1970, "978307323.456"), (.millisecondsSince1970, "978307323456.0"),
        (.iso8601, "2001-01-01T00:02:03Z"), (.formatted(formatter), "2001-01-01 00:02:03.456"),
        (.custom { "\(Int($0.timeIntervalSinceReferenceDate))" }, "123"),
    ]

    static var formatter: DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss.SSS"
        return formatter
    }

    @Test(arguments: dateEncodings.indices) func datesHaveSixStyles(index: Int) throws {
        let (encoding, text) = Self.dateEncodings[index]
        #expect(try value(Self.date, .init(dateEncoding: encoding)) == text)
    }

    @Test func datesAreDeferredByDefault() throws {
        #expect(try value(Self.date) == "123.456")
    }

    @Test func errorOfADateClosureIsRethrown() {
        struct Cause: Error {}
        #expect(throws: Cause.self) { try form(Pair(Self.date), .init(dateEncoding: .custom { _ in throw Cause() })) }
    }

    // MARK: nil

    struct Absent: Encodable {
        var a: Int?
        var b: [Int?] = [1, nil, 3]
        var c: [String: Int?] = ["x": nil]
        var d: String?? = .some(.none)
        var e = 1
    }

    @Test func nilDropsItsName() throws {
        #expect(try form(Absent()) == "b[]=1&b[]=3&e=1")
    }

    @Test func elementThatIsDroppedTakesNoIndex() throws {
        #expect(try form(Absent(), .init(arrayEncoding: .indexInBrackets)) == "b[0]=1&b[1]=3&e=1")
    }

    @Test func nilCanDropItsValueAlone() throws {
        #expect(try form(Absent(), .init(nilEncoding: .dropValue)) == "a=&b[]=&b[]=1&b[]=3&c[x]=&d=&e=1")
    }

    @Test func nilCanBeAWord() throws {
        #expect(
            try form(Absent(), .init(nilEncoding: .null)) == "a=null&b[]=1&b[]=3&b[]=null&c[x]=null&d=null&e=1")
    }

    @Test func nilCanComeFromAClosure() throws {
        #expect(try form(["a": Int?.none], .init(nilEncoding: .init { "no ne" })) == "a=no ne")
        #expect(try form(["a": Int?.none], .init(nilEncoding: .init { nil })) == "")
    }

    @Test func nilEncodedByHandFollowsTheOptions() throws {
        struct ByHand: Encodable {
            enum Keys: CodingKey { case a, b }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encodeNil(forKey: .a)
                var list = container.nestedUnkeyedContainer(forKey: .b)
                try list.encodeNil()
            }
        }
        #expect(try form(ByHand(), .init(nilEncoding: .null)) == "a=null&b[]=null")
    }

    // MARK: Others

    @Test func urlIsItsText() throws {
        let url = try #require(URL(string: "b?c=d", relativeTo: URL(string: "https://example.com/a/")))
        #expect(try value(url) == "https://example.com/a/b?c=d")
    }

    @Test func uuidIsItsText() throws {
        let uuid = UUID()
        #expect(try value(uuid) == uuid.uuidString)
    }

    // MARK: Escaping

    private func raw(_ text: String, _ encoder: URLEncodedFormEncoder = .init()) throws -> String {
        try encoder.encode([text: text])
    }

    @Test(arguments: [
        (":#[]@!$&'()*+,;=", "%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
        (" \"%<>\\^{}|`", "%20%22%25%3C%3E%5C%5E%7B%7D%7C%60"), ("?/", "?/"), ("%25", "%2525"),
        ("abcxyzABCXYZ0189-._~", "abcxyzABCXYZ0189-._~"), ("é日😃", "%C3%A9%E6%97%A5%F0%9F%98%83"),
        ("\u{0}\r\n\u{7F}", "%00%0D%0A%7F"), ("", ""),
    ])
    func namesAndValuesAreEscaped(text: String, escaped: String) throws {
        #expect(try raw(text) == "\(escaped)=\(escaped)")
    }

    @Test func bracketsOfAPathAreEscaped() throws {
        let pairs: String = try URLEncodedFormEncoder().encode(["a": ["b": [1]]])
        #expect(pairs == "a%5Bb%5D%5B%5D=1")
    }

    @Test func spaceCanBeAPlus() throws {
        #expect(try raw("a + b", .init(spaceEncoding: .plusReplaced)) == "a+%2B+b=a+%2B+b")
    }

    @Test func otherCharactersCanBeAllowed() throws {
        let encoder = URLEncodedFormEncoder(allowedCharacters: .afURLQueryAllowed.union(.init(charactersIn: "[]:é ")))
        #expect(try raw("a[é]: /", encoder) == "a[%C3%A9]:%20/=a[%C3%A9]:%20/")
        #expect(try raw("?", .init(allowedCharacters: CharacterSet())) == "%3F=%3F")
    }

    @Test func allowedByDefaultAreLettersDigitsAndSixSigns() {
        let allowed = (UInt8.min...127).map { Unicode.Scalar($0) }.filter(CharacterSet.afURLQueryAllowed.contains)
        #expect(
            String(String.UnicodeScalarView(allowed))
                == "-./0123456789?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~")
    }
}
