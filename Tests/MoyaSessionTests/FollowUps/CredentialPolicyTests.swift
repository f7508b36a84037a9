import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct CredentialPolicyTests {
    private func session(
        _ transport: StubbedTransport, _ policy: CredentialPolicy, headers: [String: String] = [:],
        interceptor: (any RequestInterceptor)? = nil
    ) -> Session {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = headers
        return Session(
            configuration: configuration, startRequestsImmediately: false, interceptor: interceptor,
            credentialPolicy: policy, transport: transport)
    }

    // MARK: Redirects

    @Test func namedFieldsStayWithTheirOrigin() async {
        let transport = StubbedTransport(.response(302, [("Location", "http://b.example/")]), .response(200))
        let session = session(transport, CredentialPolicy(fields: ["X-Tenant", "x-user"]), headers: ["X-Tenant": "1"])
        var first = URLRequest.to("http://a.example/")
        first.setValue("2", forHTTPHeaderField: "X-User")
        first.setValue("3", forHTTPHeaderField: "X-Own")
        #expect(await session.request(first).outcome().error == nil)
        #expect(transport.requests[0].fields.map(\.name).sorted() == ["X-Own", "X-Tenant", "X-User"])
        #expect(transport.requests[1].fields.map(\.name) == ["X-Own"])
    }

    @Test func namedFieldsGoWithARedirectWithinTheirOrigin() async {
        let transport = StubbedTransport(.response(302, [("Location", "/next")]), .response(200))
        let session = session(transport, CredentialPolicy(fields: ["X-Tenant"]), headers: ["X-Tenant": "1"])
        #expect(await session.request(URLRequest.to("http://a.example/")).outcome().error == nil)
        #expect(transport.requests[1].fields.map(\.name) == ["X-Tenant"])
    }

    @Test func fieldsOfAnAuthenticatorStayWithTheirOrigin() async {
        let transport = StubbedTransport(.response(302, [("Location", "http://b.example/")]), .response(200))
        let session = session(
            transport, CredentialPolicy(),
            interceptor: authentication)
        #expect(await session.request(URLRequest.to("http://a.example/")).outcome().error == nil)
        #expect(transport.requests.map { $0.fields.map(\.name) } == [["X-Odd"], []])
    }

    private var authentication: AuthenticationInterceptor<FieldAuthenticator> {
        AuthenticationInterceptor(authenticator: FieldAuthenticator("X-Odd"), credential: .init(value: "1"))
    }

    @Test func aFieldThatAlreadyHasItsValueStaysWithItsOrigin() async {
        let transport = StubbedTransport(.response(302, [("Location", "http://b.example/")]), .response(200))
        let session = session(transport, CredentialPolicy(), interceptor: authentication)
        var request = URLRequest.to("http://a.example/")
        request.setValue("1", forHTTPHeaderField: "X-Odd")
        request.setValue("2", forHTTPHeaderField: "X-Own")
        #expect(await session.request(request).outcome().error == nil)
        #expect(transport.requests.map { $0.fields.map(\.name).sorted() } == [["X-Odd", "X-Own"], ["X-Own"]])
    }

    @Test func aFieldOfARequestThatIsMadeAgainStaysWithItsOrigin() async throws {
        let transport = StubbedTransport(
            .response(200), .response(302, [("Location", "http://b.example/")]), .response(200))
        let session = session(transport, CredentialPolicy(), interceptor: authentication)
        let first = await session.request(URLRequest.to("http://a.example/")).outcome()
        let again = try #require(first.request)
        #expect(await session.request(again).outcome().error == nil)
        #expect(transport.requests.map { $0.fields.map(\.name) } == [["X-Odd"], ["X-Odd"], []])
    }

    // MARK: Basic

    private static let basic = StubbedTransport.Answer.response(401, [("WWW-Authenticate", "Basic realm=\"r\"")])

    @Test(arguments: [
        ("http://a.example/", true), ("HTTP://a.example/", true), ("https://a.example/", false),
        ("http://localhost:80/", false), ("http://api.localhost/", true), ("http://127.0.0.1/", false),
        ("http://127.1.2.3:8080/", false), ("http://[::1]/", false), ("http://127.0.0.1.example/", true),
        ("http://10.0.0.1/", true), ("http://notlocalhost/", true), ("http://[::2]/", true),
    ])
    func refusesBasicWithoutTLSOnRequest(_ url: String, _ isRefused: Bool) async {
        let values = [
            "Basic dTpw", "basic dTpw", "BASIC  dTpw", "Basic", "Bearer t, Basic dTpw", ", Basic dTpw",
            "Bearer,\tbasic dTpw",
            "Digest username=\"a, b\", uri=/, Basic dTpw",
        ]
        for value in values {
            let transport = StubbedTransport(.response(200))
            var request = URLRequest.to(url)
            request.setValue(value, forHTTPHeaderField: "authorization")
            let refusing = session(transport, CredentialPolicy(refusesBasicWithoutTLS: true))
            let error = await refusing.request(request).outcome().error
            #expect((error != nil) == isRefused)
            #expect(error?.localizedDescription.contains("dTpw") != true)
            #expect(transport.requests.count == (isRefused ? 0 : 1))
            let usual = session(transport, CredentialPolicy())
            #expect(await usual.request(request).outcome().error == nil)
        }
    }

    @Test func aHostOfThisMachineNeedsTLSBehindAnothersProxy() async {
        let session = Session(
            configuration: .ephemeral, startRequestsImmediately: false,
            credentialPolicy: CredentialPolicy(refusesBasicWithoutTLS: true),
            transportConfiguration: TransportConfiguration(
                proxy: .custom(.init(.http, host: "proxy.invalid", port: 80))))
        var request = URLRequest.to("http://localhost/")
        request.setValue("Basic dTpw", forHTTPHeaderField: "Authorization")
        guard
            case .urlRequestValidationFailed(.basicWithoutTLS("localhost")) = await session.request(request).outcome()
                .error
        else {
            Issue.record("sent to a proxy")
            return
        }
    }

    #if os(Linux)
    @Test func aUnixSocketNeedsNoTLS() async {
        let session = Session(
            configuration: .ephemeral, startRequestsImmediately: false,
            credentialPolicy: CredentialPolicy(refusesBasicWithoutTLS: true),
            transportConfiguration: TransportConfiguration(
                proxy: .none, unixSockets: [.init(path: "/no/such.sock", origin: "http://docker")]))
        let headers: HTTPHeaders = [.authorization(username: "user", password: "pass")]
        for (url, isRefused) in [("http://docker/", false), ("http://docker:81/", true)] {
            let error = await session.request(url, headers: headers).outcome().error
            if case .urlRequestValidationFailed(.basicWithoutTLS)? = error {
                #expect(isRefused, "\(url)")
            } else {
                #expect(!isRefused, "\(url)")
            }
        }
    }
    #endif

    @Test func namesTheRequestThatItRefuses() async {
        let session = session(StubbedTransport(.response(200)), CredentialPolicy(refusesBasicWithoutTLS: true))
        let basic = HTTPField(name: "Authorization", value: "Basic dTpw")
        let outcome = await session.request(HTTPRequest(method: "GET", url: "http://a.example/", fields: [basic]))
            .outcome()
        #expect(outcome.request?.url?.absoluteString == "http://a.example/")
    }

    @Test(arguments: ["Basically x", "Bearer basic", "Digest username=\"a, Basic b\", basic=x"])
    func otherSchemesNeedNoTLS(value: String) async {
        let transport = StubbedTransport(.response(200))
        var request = URLRequest.to("http://a.example/")
        request.setValue(value, forHTTPHeaderField: "Authorization")
        let session = session(transport, CredentialPolicy(refusesBasicWithoutTLS: true))
        #expect(await session.request(request).outcome().error == nil)
    }

    @Test func aChallengeIsNotAnsweredByBasicWithoutTLS() async {
        let transport = StubbedTransport(Self.basic, .response(200))
        let session = session(transport, CredentialPolicy(refusesBasicWithoutTLS: true))
        let outcome = await session.request(URLRequest.to("http://a.example/"))
            .authenticate(username: "u", password: "secret").outcome()
        guard case .urlRequestValidationFailed(.basicWithoutTLS("a.example")) = outcome.error else {
            Issue.record("\(outcome.error as Any)")
            return
        }
        #expect(transport.requests.count == 1)
    }

    @Test func aFieldOfTheSessionNeedsTLSToo() async {
        let transport = StubbedTransport(.response(200))
        let session = session(
            transport, CredentialPolicy(refusesBasicWithoutTLS: true), headers: ["Authorization": "Basic dTpw"])
        #expect(await session.request(URLRequest.to("http://a.example/")).outcome().error != nil)
        #expect(await session.request(URLRequest.to("https://a.example/")).outcome().error == nil)
        #expect(transport.requests.count == 1)
    }
}
