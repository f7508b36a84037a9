#if os(Linux)
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

/// No printed form of a transport or an exchange shows the URL of a request.
@Suite(.timeLimit(.minutes(3))) struct PrintedTransportTests {
    private func forms(of value: Any) -> String {
        var text = "\(value) \(String(reflecting: value)) "
        dump(value, to: &text)
        return text
    }

    @Test func aTransportShowsNoSecretDuringAndAfterACall() async throws {
        let (isAsked, mayAnswer) = (Gate(), Gate())
        let server = try await LoopbackServer { exchange in
            isAsked.open()
            try await mayAnswer.wait()
            try await exchange.respond()
        }
        let transport = CurlTransport.separate()
        let exchange = transport.begin(server.request("GET", "/?access_token=s3cr3t"))
        try await isAsked.wait()
        #expect(!forms(of: transport).contains("s3cr3t"))
        #expect(!forms(of: exchange.handle).contains("s3cr3t"))
        mayAnswer.open()
        _ = try await exchange.sink.waitForEnd()
        #expect(!forms(of: transport).contains("s3cr3t"))
    }
}
#endif
