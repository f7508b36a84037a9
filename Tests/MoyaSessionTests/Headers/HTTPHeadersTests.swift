import Foundation
import MoyaSession
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct HTTPHeadersTests {
    static let spellings = [
        HTTPHeader(name: "Key", value: "1"), HTTPHeader(name: "KEY", value: "2"), HTTPHeader(name: "kEy", value: "3"),
    ]
    static let last = [HTTPHeader(name: "kEy", value: "3")]

    @Test func threeSpellingsInAnArrayMakeOneEntry() {
        #expect(Array(HTTPHeaders(Self.spellings)) == Self.last)
    }

    @Test func threeSpellingsInAnArrayLiteralMakeOneEntry() {
        let headers: HTTPHeaders = [Self.spellings[0], Self.spellings[1], Self.spellings[2]]
        #expect(Array(headers) == Self.last)
    }

    @Test func threeSpellingsInADictionaryLiteralMakeOneEntry() {
        let headers: HTTPHeaders = ["Key": "1", "KEY": "2", "kEy": "3"]
        #expect(Array(headers) == Self.last)
    }

    @Test func threeSpellingsInADictionaryMakeOneEntry() {
        #expect(HTTPHeaders(["Key": "1", "KEY": "1", "kEy": "1"]).count == 1)
    }

    /// Long lists look names up in another way than short ones.
    @Test(arguments: [31, 32, 33, 34, 100]) func spellingsInAListOfAnyLengthMakeOneEntry(count: Int) {
        let names = (0..<count).map { "Key-\($0)" }
        let headers = HTTPHeaders(
            (names + names.map { $0.uppercased() }).map { HTTPHeader(name: $0, value: String($0.prefix(3))) })
        #expect(Array(headers) == names.map { HTTPHeader(name: $0.uppercased(), value: "KEY") })
    }

    @Test func namesThatDifferInBytesAreSeparateInAListOfAnyLength() {
        let names = ["\u{E9}", "e\u{301}", "\u{C9}"]
        for others in [[], (0..<100).map { "Key-\($0)" }] {
            #expect(HTTPHeaders((others + names).map { HTTPHeader(name: $0, value: "") }).count == others.count + 3)
        }
    }

    @Test(.timeLimit(.minutes(1))) func listOfManyFieldsIsMadeInProportionToTheirNumber() {
        let names = (0..<200_000).map { "Key-\($0)" }
        #expect(HTTPHeaders(names.map { HTTPHeader(name: $0, value: "") }).count == names.count)
        #expect(HTTPHeaders(Dictionary(uniqueKeysWithValues: names.map { ($0, "") })).count == names.count)
        #expect(HTTPHeaders(joining: names.map { HTTPField(name: $0, value: "") }).count == names.count)
    }

    @Test(arguments: [1, 100]) func valuesOfOneNameAreJoinedInOrder(others: Int) {
        let lines = (0..<others).map { HTTPField(name: "Key-\($0)", value: "x") }
        let headers = HTTPHeaders(
            joining: [HTTPField(name: "a", value: "1")] + lines + [HTTPField(name: "A", value: "2")])
        #expect(headers.count == 1 + others)
        #expect(headers.first == HTTPHeader(name: "A", value: "1, 2"))
    }

    @Test(arguments: [true, false]) func threeSpellingsAddedMakeOneEntry(adding: Bool) {
        var headers = HTTPHeaders()
        for header in Self.spellings {
            if adding { headers.add(header) } else { headers.update(name: header.name, value: header.value) }
        }
        #expect(Array(headers) == Self.last)
    }

    @Test func orderIsThatOfInsertion() {
        let headers: HTTPHeaders = ["b": "1", "a": "2", "C": "3"]
        #expect(headers.map(\.name) == ["b", "a", "C"])
    }

    @Test func replacedFieldKeepsItsPlace() {
        var headers: HTTPHeaders = ["b": "1", "a": "2"]
        headers.update(.init(name: "B", value: "3"))
        #expect(headers.description == "B: 3\na: 2")
    }

    @Test func sortingIsByLowerCasedName() {
        let headers: HTTPHeaders = ["b": "1", "C": "2", "A": "3"]
        #expect(headers.sorted().map(\.name) == ["A", "b", "C"])
    }

    @Test func sortedCopyLeavesTheOriginal() {
        let headers: HTTPHeaders = ["b": "1", "a": "2"]
        _ = headers.sorted()
        #expect(headers.map(\.name) == ["b", "a"])
    }

    @Test func descriptionIsNotSorted() {
        let headers: HTTPHeaders = ["b": "1", "a": "2"]
        #expect(headers.description == "b: 1\na: 2")
    }

    @Test func subscriptIgnoresCase() {
        let headers: HTTPHeaders = ["Content-Type": "text/plain"]
        #expect(headers["content-TYPE"] == "text/plain")
        #expect(headers.value(for: "CONTENT-type") == "text/plain")
    }

    @Test func settingNilRemoves() {
        var headers: HTTPHeaders = ["A": "1", "B": "2"]
        headers["a"] = nil
        #expect(headers.dictionary == ["B": "2"])
    }

    @Test func removingANameThatIsNotThereChangesNothing() {
        var headers: HTTPHeaders = ["A": "1"]
        headers.remove(name: "B")
        #expect(headers == ["A": "1"])
    }

    @Test func makersSpellNamesAndValues() {
        let headers: [HTTPHeader] = [
            .accept("1"), .acceptCharset("2"), .acceptLanguage("3"), .acceptEncoding("4"), .authorization("5"),
            .contentDisposition("6"), .contentEncoding("7"), .contentType("8"), .userAgent("9"),
            .authorization(bearerToken: "t"), .authorization(username: "Aladdin", password: "open sesame"),
        ]
        #expect(
            headers.map { "\($0.name): \($0.value)" } == [
                "Accept: 1", "Accept-Charset: 2", "Accept-Language: 3", "Accept-Encoding: 4", "Authorization: 5",
                "Content-Disposition: 6", "Content-Encoding: 7", "Content-Type: 8", "User-Agent: 9",
                "Authorization: Bearer t", "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
            ])
    }
}

@Suite struct HTTPHeadersFoundationTests {
    @Test func requestHeadersAreReadAndReplaced() throws {
        var request = URLRequest(url: try #require(URL(string: "https://example.com")))
        request.setValue("old", forHTTPHeaderField: "X-Old")
        request.headers = ["X-New": "new"]
        #expect(request.headers == ["X-New": "new"])
        #expect(request.value(forHTTPHeaderField: "x-old") == nil)
    }

    @Test func requestHeadersCanBeUpdatedInPlace() throws {
        var request = URLRequest(url: try #require(URL(string: "https://example.com")))
        request.headers.update(.contentType("text/plain"))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "text/plain")
    }

    @Test func responseHeadersAreRead() throws {
        let url = try #require(URL(string: "https://example.com"))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["X-One": "1"]))
        #expect(response.headers["x-one"] == "1")
    }

    @Test func configurationHeadersAreReadAndReplaced() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.headers = ["A": "1"]
        configuration.headers.add(name: "B", value: "2")
        #expect(configuration.headers.dictionary == ["A": "1", "B": "2"])
    }

    @Test func afConfigurationsSendTheDefaults() {
        let configurations: [URLSessionConfiguration] = [.af.default, .af.ephemeral]
        for configuration in configurations {
            #expect(configuration.headers.dictionary == HTTPHeaders.default.dictionary)
        }
    }

    @Test func afConfigurationsAreNewEachTime() {
        URLSessionConfiguration.af.default.headers = [:]
        #expect(URLSessionConfiguration.af.default.headers.count == 3)
    }
}
