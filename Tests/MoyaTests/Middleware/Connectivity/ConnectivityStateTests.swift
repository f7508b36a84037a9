import Foundation
import Testing

@testable import Moya

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ConnectivityStateTests {
    private func makeTicket() throws -> Ticket {
        let url = try #require(URL(string: "https://a.example/"))
        return Ticket(of: MiddlewareCall(target: GitHub.zen, request: URLRequest(url: url)))
    }

    @Test func aTimerThatFiresAfterItsWaitLeavesNothingBehind() async throws {
        let ticket = try makeTicket()
        var state = ConnectivityState()
        state.arrive(ticket)
        _ = await withUnsafeContinuation { (waiter: ConnectivityState.Waiter) in
            _ = state.park(ticket, waiter, endsOffline: false)
            for waiter in state.update(true) { waiter.resume(returning: .success(true)) }
        }
        #expect(state.release(ticket, with: .failure(.sequenceEnded)) == nil)
        _ = state.update(false)
        let end = await withUnsafeContinuation { (waiter: ConnectivityState.Waiter) in
            waiter.resume(returning: state.park(ticket, waiter, endsOffline: true).end)
        }
        guard case .success(false) = end else {
            Issue.record("\(String(describing: end))")
            return
        }
    }
}
