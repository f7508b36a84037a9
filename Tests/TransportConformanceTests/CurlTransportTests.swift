#if os(Linux)
import MoyaCurl
import MoyaTesting
import MoyaTransport
import Testing

/// The wire over libcurl, held to every behaviour.
@Suite(.timeLimit(.minutes(5))) struct CurlTransportTests {
    private static let exceptions = ["gzip", "deflate", "br", "zstd"].map { coding in
        TransportConformance.Exception(
            behavior: "\(coding) that is cut short fails to decode",
            reason: "libcurl 7.88 takes coded bytes that stop half-way for all there are")
    }

    @Test func everyBehaviorIsKeptOrDeclared() async {
        let report = await TransportConformance.report(on: "libcurl", exceptions: Self.exceptions) {
            // A thread for each behaviour, so that none waits for another.
            CurlTransport(configuration: .init(proxy: .none), loop: CurlLoop(name: "conformance"))
        }
        print(report)
        for entry in report.broken { Issue.record("\(entry.behavior): \(entry.verdict)") }
        #expect(report.isClean)
    }
}
#endif
