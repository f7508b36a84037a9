import Foundation
import MoyaSession
import MoyaTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite final class AppliedFieldsTests {
    private let fields = AppliedFields()
    private let applications = Lock(0)

    private func apply(_ present: [String: String], setting added: [String: String]) -> Set<String> {
        var request = URLRequest(url: URL(fileURLWithPath: "/"))
        request.allHTTPHeaderFields = present
        return fields.apply(to: &request) { request in
            applications.add(1)
            for (name, value) in added { request.setValue(value, forHTTPHeaderField: name) }
        }
    }

    @Test func findsAFieldThatAlreadyHasItsValueBesideOneThatChanges() {
        #expect(apply(["X-Odd": "1", "X-Own": "3"], setting: ["X-Odd": "1", "X-Date": "2"]) == ["X-Odd", "X-Date"])
    }

    @Test func remembersTheFieldsOfEarlierRequests() {
        _ = apply([:], setting: ["X-Odd": "1"])
        _ = apply(["X-Own": "3"], setting: ["X-Date": "1"])
        #expect(apply(["X-Date": "1", "X-Odd": "1"], setting: ["X-Date": "1"]) == ["X-Odd", "X-Date"])
    }

    @Test func appliesACredentialOnceToARequestWithoutOtherFields() {
        for _ in 0..<2 { _ = apply([:], setting: ["X-Odd": "1"]) }
        #expect(applications.value == 2)
    }

    @Test func appliesACredentialTwiceToTheFirstRequestWithOtherFields() {
        for _ in 0..<3 { _ = apply(["X-Own": "3"], setting: ["X-Odd": "1"]) }
        #expect(applications.value == 4)
    }
}
