import Foundation
import MoyaTesting
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The same server from XCTest, called by a client that users have.
final class LoopbackServerXCTests: XCTestCase {
    func testAnAnswerArrivesThroughURLSession() async throws {
        let server = try await LoopbackServer { try await $0.respond(201, ["X": "y"], body: "made") }
        let (data, response) = try await URLSession.shared.data(from: server.url)
        XCTAssertEqual(data, Data("made".utf8))
        XCTAssertEqual((response as? HTTPURLResponse)?.statusCode, 201)
    }

    func testABlockingTestIsServed() throws {
        let made = expectation(description: "made")
        nonisolated(unsafe) var server: LoopbackServer?
        Task {
            server = try await LoopbackServer { try await $0.respond(body: "ok") }
            made.fulfill()
        }
        wait(for: [made], timeout: 10)
        let url = try XCTUnwrap(server?.url)
        XCTAssertEqual(try Data(contentsOf: url), Data("ok".utf8))
    }
}
