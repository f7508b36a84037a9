import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ServerTrustManagerTests {
    private func evaluator(_ key: String, _ host: String) throws -> (any ServerTrustEvaluating)? {
        let manager = ServerTrustManager(
            allHostsMustBeEvaluated: false, evaluators: [key: DisabledTrustEvaluator(), "else.test": .default])
        return try manager.serverTrustEvaluator(forHost: host)
    }

    // MARK: Looking up

    @Test(arguments: [
        ["sample.test", "Sample.TEST", "sample.test.", "SAMPLE.test."],
        ["bücher.test", "BÜCHER.test", "xn--bcher-kva.test", "XN--Bcher-KVA.test.", "bu\u{308}cher.test"],
        ["::1", "[::1]", "0:0:0:0:0:0:0:1", "[0::0001]"],
        ["2001:db8::a", "2001:DB8:0:0:0:0:0:A", "[2001:db8::000a]"],
        ["127.0.0.1", "127.1", "127.0.0.1."],
    ])
    func findsAHostByAnySpellingOfItsKey(spellings: [String]) throws {
        for key in spellings {
            for host in spellings {
                #expect(try evaluator(key, host) is DisabledTrustEvaluator, "\(key), \(host)")
            }
        }
    }

    @Test(arguments: ["www.sample.test", "sample.test.else", "ample.test", "", "*.sample.test", "sample.test:443"])
    func findsNothingForAnotherHost(host: String) throws {
        #expect(try evaluator("sample.test", host) == nil)
    }

    @Test func aHostWithoutEvaluatorIsRefusedByItsName() throws {
        let manager = ServerTrustManager(evaluators: ["sample.test": DisabledTrustEvaluator()])
        let error = #expect(throws: SessionError.self) { try manager.serverTrustEvaluator(forHost: "www.sample.test") }
        guard case .serverTrustEvaluationFailed(.noRequiredEvaluator("www.sample.test"))? = error else {
            throw Unexpected(error)
        }
    }

    @Test(arguments: [(true, "else.test", false), (false, "else.test", true), (false, "sample.test", false)])
    func thePolicyLeavesOnlyHostsWithoutEvaluatorToTheSystem(_ all: Bool, _ host: String, _ isLeft: Bool) {
        let manager = ServerTrustManager(
            allHostsMustBeEvaluated: all, evaluators: ["sample.test": DisabledTrustEvaluator()])
        #expect(ManagedTrustPolicy(manager: manager).leavesToSystem(host) == isLeft)
    }

    @Test func aHostWithoutEvaluatorIsLeftToThePlatformWhereThatIsAllowed() throws {
        let manager = ServerTrustManager(allHostsMustBeEvaluated: false, evaluators: [:])
        #expect(try manager.serverTrustEvaluator(forHost: "sample.test") == nil)
    }

    // MARK: Wildcards

    @Test(arguments: [
        ("*.sample.test", "www.sample.test", true), ("*.Sample.TEST.", "WWW.sample.test", true),
        ("*.bücher.test", "www.xn--bcher-kva.test", true), ("*.sample.test", "bücher.sample.test", true),
        ("*.test", "sample.test", true),
        ("*.cluster1.test", "node.cluster1.test", true), ("*.sample.test", "sample.test", false),
        ("*.sample.test", "a.b.sample.test", false), ("*.sample.test", "sample.test.else", false),
    ])
    func aWildcardMatchesOneLabel(key: String, host: String, isFound: Bool) throws {
        #expect(try (evaluator(key, host) is DisabledTrustEvaluator) == isFound)
    }

    @Test func anExactHostOverridesAWildcard() throws {
        let manager = ServerTrustManager(evaluators: ["*.sample.test": .default, "www.sample.test": .disabled])
        #expect(try manager.serverTrustEvaluator(forHost: "www.sample.test") is DisabledTrustEvaluator)
        #expect(try manager.serverTrustEvaluator(forHost: "api.sample.test") is DefaultTrustEvaluator)
    }

    // MARK: Wildcards on public suffixes

    @Test(arguments: [
        "*.com", "*.COM.", "*.co.uk", "*.Co.Uk.", "*.ac.jp", "*.рф", "*.xn--p1ai", "*.公司.cn", "*.xn--55qx5d.cn",
        "*.kawasaki.jp", "*.any.kawasaki.jp", "*.ck", "*.org.ck", "*.cluster1",
    ])
    func refusesAWildcardUnderAPublicSuffix(key: String) async {
        let error = #expect(throws: SessionError.self) { try evaluator(key, "else.test") }
        let text = "key \(key.debugDescription) matches hosts of unrelated owners"
        #expect(error?.localizedDescription.contains(text) == true)

        let transport = StubbedTransport(.response(200))
        let session = Session(
            configuration: .ephemeral, startRequestsImmediately: false,
            serverTrustManager: ServerTrustManager(evaluators: [key: .default]), transport: transport)
        #expect(
            await session.request("https://else.test/").outcome().error?.localizedDescription.contains(text) == true)
        #expect(transport.requests.isEmpty)
    }

    /// One operator has the certificates of all hosts under a suffix of the list's private section.
    @Test(arguments: [
        "sample.com", "sample.co.uk", "city.kawasaki.jp", "www.ck", "github.io", "s3.amazonaws.com", "cloudfront.net",
        "localhost", "local", "internal", "home.arpa", "test",
    ])
    func acceptsAWildcardUnderARegistrableDomain(domain: String) throws {
        #expect(try evaluator("*.\(domain)", "www.\(domain)") is DisabledTrustEvaluator)
    }

    // MARK: Keys that match nothing

    @Test(arguments: [
        "", "*", "*.", "**.sample.test", "api.*.test", "a*.sample.test", "*.*.test", "*.127.0.0.1", "*.[::1]", "*.::1",
        "https://sample.test", "sample.test:443", "[::1]:443", "sample.test/path", "user@sample.test", ".sample.test",
        "sample..test", "sample test", " sample.test", "sample.test\n", "sample.test\u{0}", "1.2.3.4.5",
        "sample%2Etest",
        "bü cher.test", "::g",
    ])
    func aKeyThatCanMatchNothingIsNamed(key: String) async throws {
        let error = #expect(throws: SessionError.self) { try evaluator(key, "else.test") }
        #expect(error?.localizedDescription.contains("key \(key.debugDescription) names no host") == true)

        let transport = StubbedTransport(.response(200))
        let session = Session(
            configuration: .ephemeral, startRequestsImmediately: false,
            serverTrustManager: ServerTrustManager(
                allHostsMustBeEvaluated: false, evaluators: [key: DisabledTrustEvaluator()]),
            transport: transport)
        for url in ["http://sample.test/", "https://else.test/"] {
            let outcome = await session.request(url).outcome()
            #expect(outcome.error?.localizedDescription.contains(key.debugDescription) == true)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [
        ["sample.test", "Sample.test"], ["sample.test", "sample.test."], ["bücher.test", "xn--bcher-kva.test"],
        ["::1", "[0::1]"], ["*.sample.test", "*.SAMPLE.test"],
    ])
    func twoKeysOfOneHostAreNamed(keys: [String]) throws {
        let manager = ServerTrustManager(evaluators: [keys[0]: .disabled, keys[1]: .default])
        let error = #expect(throws: SessionError.self) { try manager.serverTrustEvaluator(forHost: "sample.test") }
        for key in keys { #expect(error?.localizedDescription.contains(key.debugDescription) == true) }
    }

    /// Reads other keys.
    private final class SuffixManager: ServerTrustManager, @unchecked Sendable {
        override func serverTrustEvaluator(forHost host: String) throws -> (any ServerTrustEvaluating)? {
            evaluators.first { host.hasSuffix($0.key) }?.value
        }
    }

    @Test func aSubclassMayReadOtherKeys() async throws {
        let transport = StubbedTransport(.response(200))
        let session = Session(
            configuration: .ephemeral, startRequestsImmediately: false,
            serverTrustManager: SuffixManager(evaluators: [".sample.test": DisabledTrustEvaluator()]),
            transport: transport)
        #expect(await session.request("https://www.sample.test/").outcome().error == nil)
    }
}
