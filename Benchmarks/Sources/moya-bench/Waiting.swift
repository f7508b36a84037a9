import CMeasure
import Foundation
import Moya

import struct _Concurrency.Task

/// Measures the memory of each call while the server does not answer.
enum Waiting {
    static func run(_ options: Options) {
        measure_raise_descriptor_limit()
        let provider = MoyaProvider<BenchmarkAPI>(session: options.session())
        let target = BenchmarkAPI.small(options.url)
        let before = measure_status("VmRSS")
        for _ in 0..<options.inFlight {
            switch options.client {
            case "completion": provider.request(target) { _ in }
            default: Task { try await provider.request(target) }
            }
        }
        // The parent process writes to standard input when the server has received all of them.
        measure_wait_for_input()
        Figures.print([
            ("kibibytes", Double(measure_status("VmRSS") - before)),
            ("calls", Double(options.inFlight)),
        ])
    }
}
