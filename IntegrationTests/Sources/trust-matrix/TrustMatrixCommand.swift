import Foundation
import TrustMatrix

/// Runs every trust case against the servers of this run, prints a row for each, and fails if one has an unexpected
/// outcome.
@main
struct TrustMatrixCommand {
    static func main() async {
        guard let servers = TrustServers.running else {
            print("no servers: run `make trust`, or Scripts/with-servers trust-matrix")
            exit(69)
        }
        print("| server | TLS | evaluator | outcome | handshakes refused | request bytes |")
        print("|---|---|---|---|---|---|")
        var failures: [String] = []
        for trustCase in TrustCase.all {
            do {
                let outcome = try await trustCase.runAndCount(on: servers)
                let row =
                    "| \(trustCase.host) | \(trustCase.tls.rawValue) | \(trustCase.evaluator) | \(outcome.reason) "
                    + "| \(outcome.refusedHandshakes) | \(outcome.requestBytes) |"
                print(row)
                if !trustCase.isAsExpected(outcome) {
                    failures.append("\(trustCase): expected \(trustCase.expected), got: \(row) \(outcome.text)")
                }
            } catch {
                failures.append("\(trustCase): \(error)")
            }
        }
        let refused = TrustCase.all.filter { $0.expected != TrustCase.accepted }.count
        print(
            "\n\(TrustCase.all.count) cases: \(refused) to be refused, \(TrustCase.all.count - refused) to be accepted")
        for failure in failures { print("NOT AS IT SHOULD BE: \(failure)") }
        exit(failures.isEmpty ? 0 : 1)
    }
}
