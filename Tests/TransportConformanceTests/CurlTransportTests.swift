#if os(Linux)
import MoyaCurl
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

/// The wire over libcurl, held to every behaviour.
@Suite(.timeLimit(.minutes(5))) struct CurlTransportTests {
    @Test func everyBehaviorIsMetOrDeclared() async {
        let report = await TransportConformance.report(on: "libcurl") {
            // A thread for each behaviour, so that none blocks another.
            CurlTransport(configuration: .init(proxy: .none), loop: CurlLoop(name: "conformance"))
        }
        print(report)
        for entry in report.broken { Issue.record("\(entry.behavior): \(entry.verdict)") }
        #expect(report.isClean)
    }
}
#endif
