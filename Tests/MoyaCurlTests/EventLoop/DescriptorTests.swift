#if os(Linux)
import CMoyaCurl
import Foundation
import Glibc
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

/// The descriptors of the process, each test in a separate process.
@Suite(.timeLimit(.minutes(3))) struct DescriptorTests {
    @Test func noSocketIsInheritedByAChild() async throws {
        await #expect(processExitsWith: .success) {
            // The test runner has some already.
            let known = Set(Descriptors.open.map(\.number))
            let server = try await LoopbackServer { exchange in
                try await exchange.send(head: 200, ["Content-Length": "2"])
                try await exchange.stallUntilClosed()
            }
            let transport = CurlTransport.separate()
            let running = transport.begin(server.request())
            try await running.sink.waitUntil { $0.head != nil }
            let inherited = Descriptors.open.filter { !known.contains($0.number) && !$0.isClosedOnExec }
            #expect(inherited.map(\.target) == [])
            // There is something to find: the server's sockets, the client's, and the loop's two.
            #expect(Descriptors.open.count { $0.target.hasPrefix("socket:") } >= 3)
            #expect(Descriptors.open.contains { $0.target.contains("eventpoll") })
            running.handle.cancel()
        }
    }

    @Test func aCallWithoutDescriptorsFailsAndTheNextOneSucceeds() async throws {
        await #expect(processExitsWith: .success) {
            try #require(OpenFiles.lowerLimit(to: 256))
            // A connection that stayed would leave its descriptor to the next.
            let server = try await LoopbackServer { try await $0.respond(200, ["Connection": "close"], body: "fine") }
            let warm = CurlTransport.separate()
            _ = try await warm.run(server.request())
            try await server.waitUntil { $0.openConnectionCount == 0 }
            // Made before, and used for the first time when nothing is left.
            let cold = CurlTransport.separate()

            var taken: [Int32] = []
            while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
            let before = clock()
            for transport in [warm, cold] {
                let answer = try await transport.run(server.request())
                #expect(answer.failure?.kind == .connect || answer.failure?.kind == .other)
                #expect(answer.failure?.message.isEmpty == false)
            }
            for descriptor in taken { close(descriptor) }
            for transport in [warm, cold] {
                #expect(try await transport.run(server.request()).text == "fine")
            }
            #expect(clock() - before < CLOCKS_PER_SEC * 5)
        }
    }

    @Test func filesOfATransportThatIsMadeWithoutDescriptorsAreReadLater() async throws {
        await #expect(processExitsWith: .success) {
            try #require(OpenFiles.lowerLimit(to: 256))
            let folder = try SocketFolder()
            let (root, keys) = (URL(fileURLWithPath: folder["root.pem"]), URL(fileURLWithPath: folder["keys"]))
            try SampleCertificates.root.write(to: root)
            var taken: [Int32] = []
            while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
            let settings = CurlSettings(TransportConfiguration(certificateAuthorities: .file(root)))
            let log = try KeyLogFile(at: keys, isDebugBuild: true)
            #expect(log.descriptor < 0)
            #expect(throws: TransportFailure.self) { try settings.authorities.retainedStore() }
            for descriptor in taken { close(descriptor) }
            #expect(settings.failure == nil)
            #expect(throws: Never.self) { moya_authorities_release(try settings.authorities.retainedStore()) }
            #expect(log.descriptor >= 0)
        }
    }
}

private struct Descriptors {
    let number: Int32
    let target: String

    static var open: [Descriptors] {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return numbers.compactMap { Int32($0) }.sorted().compactMap { number in
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            else { return nil }
            return Descriptors(number: number, target: target)
        }
    }

    var isClosedOnExec: Bool { fcntl(number, F_GETFD) & FD_CLOEXEC != 0 }
}
#endif
