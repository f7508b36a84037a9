import CMeasure
import Foundation
import Moya

import struct _Concurrency.Task

/// Calls that the server does not answer: how much memory each of them takes.
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
        // The starting program knows when the server has all of them, and writes then.
        measure_wait_for_input()
        Figures.print([
            ("kibibytes", Double(measure_status("VmRSS") - before)),
            ("calls", Double(options.inFlight)),
        ])
    }
}
