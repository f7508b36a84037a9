import Foundation
import Moya
import Testing

/// httpbin's `/status/n` answers n.
@Suite(.needsServers)
struct StatusCodeTests {
    let servers: Servers
    let provider = MoyaProvider<Call>()

    init() throws { servers = try #require(Servers.running) }

    @Test(arguments: [200, 201, 204, 304, 400, 404, 418, 500, 503])
    func withoutValidationEveryStatusIsAnAnswer(status: Int) async throws {
        #expect(try await provider.request(call(status, .none)).statusCode == status)
    }

    @Test(arguments: [200, 201, 204])
    func successCodesPass(status: Int) async throws {
        #expect(try await provider.request(call(status, .successCodes)).statusCode == status)
    }

    @Test(arguments: [304, 400, 404, 500])
    func otherCodesFailWithTheResponse(status: Int) async throws {
        let error = await #expect(throws: MoyaError.self) {
            try await provider.request(call(status, .successCodes))
        }
        #expect(error?.response?.statusCode == status)
    }

    @Test func aFailedValidationKeepsTheBody() async throws {
        let error = await #expect(throws: MoyaError.self) {
            try await provider.request(call(418, .successCodes))
        }
        #expect(try error?.response?.mapString().contains("teapot") == true)
    }

    @Test func redirectCodesPassIfAllowed() async throws {
        #expect(try await provider.request(call(304, .successAndRedirectCodes)).statusCode == 304)
    }

    @Test func customCodesAreTheOnlyOnesThatPass() async throws {
        #expect(try await provider.request(call(418, .customCodes([418]))).statusCode == 418)
        await #expect(throws: MoyaError.self) { try await provider.request(call(200, .customCodes([418]))) }
    }

    @Test func aFilterRejectsAStatusThatValidationAccepted() async throws {
        let response = try await provider.request(call(404, .none))
        let error = #expect(throws: MoyaError.self) { try response.filterSuccessfulStatusCodes() }
        guard case .statusCode? = error else { throw try #require(error) }
    }

    private func call(_ status: Int, _ validation: ValidationType) -> Call {
        Call(baseURL: servers.httpbin, path: "/status/\(status)", validationType: validation)
    }
}
