import Foundation
import MoyaTesting
import MoyaTransport
import MoyaURLSession
import Testing

@Suite struct UploadBodyTests {
    private final class EmptyReader: TransportBodyReader {
        func read(
            into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @Sendable () -> Void
        ) throws -> Int? { 0 }

        func rewind() -> Bool { true }
    }

    @Test(arguments: [-1, -5, .min] as [Int64]) func aNegativeLengthEndsTheExchangeBeforeAnythingIsSent(
        _ length: Int64
    ) async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let transport = URLSessionTransport()
        let bodies: [TransportBody] = [
            .file(URL(fileURLWithPath: #filePath), length: length), .stream(EmptyReader(), length: length),
        ]
        for body in bodies {
            let sink = EndSink()
            let request = HTTPRequest(method: "PUT", url: "\(server.url)/", body: body)
            let exchange = transport.start(request, delivering: sink)
            await sink.waitForEnd()
            #expect(sink.ends.map(\.failure?.kind) == [.requestBody])
            #expect(sink.ends.first?.failure?.message.hasPrefix("The stated length of the body is \(length).") == true)
            withExtendedLifetime(exchange) {}
        }
        #expect(server.connectionCount == 0)
    }
}
