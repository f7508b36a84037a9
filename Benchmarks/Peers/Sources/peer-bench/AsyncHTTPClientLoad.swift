import AsyncHTTPClient
import CMeasure
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL

/// Makes calls with AsyncHTTPClient on one event loop, in each form of its API.
final class AsyncHTTPClientLoad: Sendable {
    private static let sampleLength = 196

    private let client: HTTPClient
    private let url: String
    private let fields: HTTPHeaders

    init(_ options: Options) throws {
        var configuration = HTTPClient.Configuration()
        // The fields of a call accept encodings, which the other Swift clients also decode.
        configuration.decompression = .enabled(limit: .ratio(25))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = options.connections
        configuration.httpVersion = options.mayUseHTTP2 ? .automatic : .http1Only
        if let authorities = options.authorities {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(authorities)
            configuration.tlsConfiguration = tls
        }
        client = HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup(numberOfThreads: 1)),
            configuration: configuration)
        url = options.url
        fields = HTTPHeaders(options.fields.map { ($0.name, $0.value) })
    }

    /// Makes a call whose future, on the event loop, makes the next call.
    func startCompleting() {
        let started = measure_now()
        do {
            let request = try HTTPClient.Request(url: url, headers: fields)
            client.execute(request: request).whenComplete { result in
                let response = try? result.get()
                measure_completed(
                    started, response?.status == .ok && response?.body?.readableBytes == Self.sampleLength)
                self.startCompleting()
            }
        } catch {
            measure_completed(started, false)
        }
    }

    /// Makes calls one after the other, and awaits each with its whole body.
    func awaitCalls() async {
        while true {
            let started = measure_now()
            measure_completed(started, await isAnsweredRight())
        }
    }

    // Apart from the loop, and not inlined into it: the optimizer of Swift 6.3 does not end with both in one function.
    @inline(never)
    private func isAnsweredRight() async -> Bool {
        var request = HTTPClientRequest(url: url)
        request.headers = fields
        do {
            let response = try await client.execute(request, timeout: .seconds(30))
            let body = try await response.body.collect(upTo: 1 << 20)
            return response.status == .ok && body.readableBytes == Self.sampleLength
        } catch {
            return false
        }
    }
}
