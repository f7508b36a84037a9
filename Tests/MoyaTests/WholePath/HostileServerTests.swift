import Foundation
import Moya
import MoyaTesting
import Testing

/// A server that violates the protocol ends the call with an error that describes the violation.
@Suite struct HostileServerTests {
    @Test func aServerThatClosesBeforeItAnswersFailsTheCall() async throws {
        let server = try await LoopbackServer { $0.close() }
        #expect(await failure(of: AnyTarget(baseURL: server.url))?.wireKind == .reset)
    }

    @Test func aServerThatResetsBeforeItAnswersFailsTheCall() async throws {
        let server = try await LoopbackServer { $0.reset() }
        #expect(await failure(of: AnyTarget(baseURL: server.url))?.wireKind == .reset)
    }

    @Test func aServerThatSendsTooLittleGivesTheResponseAsFarAsItCame() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "100"])
            try await exchange.send("half")
            exchange.close()
        }
        let error = await failure(of: AnyTarget(baseURL: server.url))
        #expect(error?.wireKind == .truncated)
        #expect(error?.response?.statusCode == 200)
        #expect(error?.response?.data == Data("half".utf8))
    }

    @Test func aServerThatSendsTooMuchGivesTheAnnouncedLength() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(raw: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfour and more")
            try await exchange.stallUntilClosed()
        }
        let response = try await MoyaProvider<AnyTarget>().request(AnyTarget(baseURL: server.url))
        #expect(response.data == Data("four".utf8))
    }

    @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "\u{0}\u{1}\u{2}garbage", "<html>no head at all</html>\n\n"])
    func aServerThatSendsGarbageFailsTheCall(garbage: String) async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(raw: garbage)
            exchange.close()
        }
        #expect(await failure(of: AnyTarget(baseURL: server.url))?.wireKind == .protocolViolation)
    }

    @Test func malformedChunkEndsTheCall() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(raw: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n")
            exchange.close()
        }
        let error = await failure(of: AnyTarget(baseURL: server.url))
        #expect(error?.wireKind == .protocolViolation)
        #expect(error?.response?.statusCode == 200)
    }

    @Test func aTruncatedChunkedBodyFailsTheCall() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(raw: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            exchange.close()
        }
        #expect(await failure(of: AnyTarget(baseURL: server.url))?.wireKind == .truncated)
    }

    @Test func aBodyWithAWrongContentCodingFailsTheCall() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.respond(200, ["Content-Encoding": "gzip"], body: "this is no gzip")
        }
        #expect(await failure(of: AnyTarget(baseURL: server.url))?.wireKind == .contentDecoding)
    }

    @Test func aServerThatNeverAnswersExceedsTheRequestsInterval() async throws {
        let server = try await LoopbackServer { try await $0.stallUntilClosed() }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 0.2
        let session = Session(configuration: configuration, startRequestsImmediately: false)
        let error = await failure(of: AnyTarget(baseURL: server.url), session: session)
        #expect(error?.wireKind == .timeout(.idle))
        #expect((error?.sessionError?.underlyingError as? URLError)?.code == .timedOut)
    }

    @Test func aServerThatTricklesExceedsTheResourcesInterval() async throws {
        let server = try await LoopbackServer { exchange in
            try await exchange.send(head: 200, ["Content-Length": "1000000"])
            while true {
                try await exchange.send("x")
                try await ContinuousClock().sleep(for: .milliseconds(5))
            }
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 0.3
        let session = Session(configuration: configuration, startRequestsImmediately: false)
        let error = await failure(of: AnyTarget(baseURL: server.url), session: session)
        #expect(error?.wireKind == .timeout(.total))
    }

    // On macOS, TMPDIR does not move the temporary directory.
    #if os(Linux)
    /// In a separate process, with its own temporary files.
    @Test func aFailedDownloadLeavesNoTemporaryFile() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryDirectoryOfThisProcess()
            let server = try await LoopbackServer { exchange in
                try await exchange.send(head: 200, ["Content-Length": "100"])
                try await exchange.send("half")
                exchange.reset()
            }
            let target = temporary.url.appendingPathComponent("file")
            let task = RequestTask.downloadDestination { _, _ in (target, []) }
            #expect(await failure(of: AnyTarget(baseURL: server.url, task: task)) != nil)
            #expect(temporary.names == [])
        }
    }
    #endif
}
