import Foundation
import Moya
import Testing

@Suite struct ResponseFilterTests {
    private func response(_ status: Int) -> Response { Response(statusCode: status, data: Data()) }

    /// `true` if the filter gives the response itself; `.statusCode` with the response is the only other result.
    private func passes(_ status: Int, _ filter: (Response) throws -> Response) throws -> Bool {
        let response = response(status)
        do {
            #expect(try filter(response) === response)
            return true
        } catch let error as MoyaError {
            guard case .statusCode(let refused) = error else { throw error }
            #expect(refused === response)
            return false
        }
    }

    @Test(arguments: [(-1, false), (0, true), (9, true), (10, false)])
    func closedRange(_ status: Int, _ isIn: Bool) throws {
        #expect(try passes(status) { try $0.filter(statusCodes: 0...9) } == isIn)
    }

    @Test(arguments: [(-1, false), (0, true), (9, true), (10, false)])
    func halfOpenRange(_ status: Int, _ isIn: Bool) throws {
        #expect(try passes(status) { try $0.filter(statusCodes: 0..<10) } == isIn)
    }

    @Test(arguments: [(199, false), (200, true), (299, true), (300, false), (304, false), (404, false)])
    func successfulCodes(_ status: Int, _ isIn: Bool) throws {
        #expect(try passes(status) { try $0.filterSuccessfulStatusCodes() } == isIn)
    }

    @Test(arguments: [(199, false), (200, true), (304, true), (399, true), (400, false), (404, false)])
    func successfulAndRedirectCodes(_ status: Int, _ isIn: Bool) throws {
        #expect(try passes(status) { try $0.filterSuccessfulStatusAndRedirectCodes() } == isIn)
    }

    @Test(arguments: [(42, true), (43, false), (41, false)])
    func singleCode(_ status: Int, _ isIn: Bool) throws {
        #expect(try passes(status) { try $0.filter(statusCode: 42) } == isIn)
    }
}
