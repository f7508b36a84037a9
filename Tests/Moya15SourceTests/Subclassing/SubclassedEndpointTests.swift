#if TaskAlias
import Foundation
import Moya
import Testing

class TaggedEndpoint: Endpoint {
    var tag: String?

    override func adding(newHTTPHeaderFields: [String: String]) -> Endpoint {
        let endpoint = super.adding(newHTTPHeaderFields: newHTTPHeaderFields.merging(["X-Tag": tag ?? ""]) { $1 })
        return endpoint
    }

    override func replacing(task: Task) -> Endpoint {
        let endpoint = TaggedEndpoint(
            url: url, sampleResponseClosure: sampleResponseClosure, method: method, task: task,
            httpHeaderFields: httpHeaderFields)
        endpoint.tag = tag
        return endpoint
    }
}

@Suite struct SubclassedEndpointTests {
    private func tagged() -> TaggedEndpoint {
        let endpoint = TaggedEndpoint(
            url: "https://example.com", sampleResponseClosure: { .networkResponse(204, Data()) }, method: .get,
            task: .requestPlain, httpHeaderFields: ["A": "1"])
        endpoint.tag = "t"
        return endpoint
    }

    @Test func overriddenAddingIsUsed() throws {
        #expect(
            try tagged().adding(newHTTPHeaderFields: ["B": "2"]).urlRequest().allHTTPHeaderFields == [
                "A": "1", "B": "2", "X-Tag": "t",
            ])
    }

    @Test func overriddenReplacingKeepsTheSubclass() {
        #expect((tagged().replacing(task: .requestData(Data())) as? TaggedEndpoint)?.tag == "t")
    }

    @Test func endpointClosureReturnsASubclass() {
        let provider = MoyaProvider<GitHub>(
            endpointClosure: { [endpoint = tagged()] _ in endpoint }, stubClosure: { _ in .immediate })
        var code: Int?
        provider.request(.userProfile("a")) { code = try? $0.get().statusCode }
        #expect(code == 204)
    }

    @Test func endpointClosureSwitchesOverTargets() {
        let token = "secret"
        let endpointClosure = { (target: MyTarget) -> Endpoint in
            let defaultEndpoint = MoyaProvider.defaultEndpointMapping(for: target)

            // Sign all non-authenticating requests
            switch target {
            case .users:
                return defaultEndpoint
            default:
                return defaultEndpoint.adding(newHTTPHeaderFields: ["AUTHENTICATION_TOKEN": token])
            }
        }
        let provider = MoyaProvider<MyTarget>(endpointClosure: endpointClosure)
        #expect(provider.endpoint(.create(name: "")).httpHeaderFields?["AUTHENTICATION_TOKEN"] == "secret")
        #expect(provider.endpoint(.users).httpHeaderFields?["AUTHENTICATION_TOKEN"] == nil)
    }

    @Test func endpointsAreKeysOfADictionary() {
        var seen: [Endpoint: Int] = [:]
        seen[MoyaProvider.defaultEndpointMapping(for: GitHub.zen), default: 0] += 1
        seen[MoyaProvider.defaultEndpointMapping(for: GitHub.zen), default: 0] += 1
        #expect(seen.values.map { $0 } == [2])
    }
}
#endif
