import Foundation
import MoyaTesting
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct HTTPRequestConversionTests {
    @Test func fieldsOfAURLRequestAreInOrderOfTheirNames() throws {
        let url = try #require(URL(string: "https://example.com"))
        let names = (0..<20).map { "X-Field-\(10 + $0)" }
        var generator = SeededGenerator(seed: 16)
        // The order of a dictionary differs from one instance to the next.
        for _ in 0..<10 {
            var request = URLRequest(url: url)
            for name in names.shuffled(using: &generator) { request.setValue("value", forHTTPHeaderField: name) }
            #expect(HTTPRequest(request).fields.map(\.name) == names)
        }
    }
}
