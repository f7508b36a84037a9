import CMeasure
import Dispatch
import Foundation
import Moya

import struct _Concurrency.Task

/// Streams of events, many at once; those that end are asked for again.
enum Streams {
    /// The bound of a connection's making, in seconds: libcurl keeps a timer for it until it would have passed, also when
    /// the connection was made long before.
    private static let connectSeconds = 1.0

    static func run(_ options: Options) -> Never {
        measure_raise_descriptor_limit()
        let deadlines = Deadlines(connect: .seconds(connectSeconds))
        let provider = MoyaProvider<BenchmarkAPI>(session: options.session(timeouts: deadlines))
        let target = BenchmarkAPI.events(options.url)
        if options.inFlight > 1 { measure_warm_up(connectSeconds + 0.5) }
        measure_load(UInt32(options.inFlight), options.seconds)
        for _ in 0..<options.inFlight {
            Task {
                while true {
                    do {
                        for try await event in provider.events(of: target) {
                            // An event counts once its data is there; its id is the time it was sent at.
                            let sent = event.id.flatMap { UInt64($0) } ?? 0
                            measure_completed(sent, sent != 0 && !event.data.isEmpty)
                        }
                    } catch {
                        measure_completed(measure_now(), false)
                    }
                }
            }
        }
        dispatchMain()
    }
}
