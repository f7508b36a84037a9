import Foundation
import Moya
import Testing

@Suite struct MultiTargetTests {
    private let inner = API(
        baseURL: URL(string: "https://inner.example.com/base")!, path: "/path", method: .post,
        sampleData: Data("sample".utf8),
        task: .requestParameters(parameters: ["key": "value"], encoding: JSONEncoding.prettyPrinted),
        validationType: .successCodes, headers: ["X-Inner": "yes"])

    private var target: MultiTarget { MultiTarget(inner) }

    @Test func forwardsTheBaseURL() { #expect(target.baseURL == inner.baseURL) }

    @Test func forwardsThePath() { #expect(target.path == "/path") }

    @Test func forwardsTheMethod() { #expect(target.method == .post) }

    @Test func forwardsTheSampleData() { #expect(target.sampleData == Data("sample".utf8)) }

    @Test func forwardsTheValidationType() { #expect(target.validationType == .successCodes) }

    @Test func forwardsTheHeaders() { #expect(target.headers == ["X-Inner": "yes"]) }

    @Test func forwardsTheParameters() {
        guard case .requestParameters(let parameters, _) = target.task else {
            Issue.record("\(target.task)")
            return
        }
        #expect(parameters as? [String: String] == ["key": "value"])
    }

    @Test func forwardsTheEncoding() {
        guard case .requestParameters(_, let encoding) = target.task else {
            Issue.record("\(target.task)")
            return
        }
        #expect((encoding as? JSONEncoding)?.options == .prettyPrinted)
    }

    @Test func forwardsTheAuthorizationType() {
        #expect(MultiTarget(AuthorizedAPI(authorizationType: .bearer)).authorizationType == .bearer)
    }

    @Test func hasNoAuthorizationTypeWhenTheTargetIsNotAuthorizable() { #expect(target.authorizationType == nil) }

    @Test func givesTheTargetBack() { #expect(MultiTarget(GitHub.zen).target as? GitHub == .zen) }

    @Test func forwardsTheURL() {
        #expect(URL(target: target).absoluteString == "https://inner.example.com/base/path")
    }
}
