import CMeasure
import Dispatch
import Foundation
import Moya

import struct _Concurrency.Task

/// Reads concurrent event streams; a stream that ends is requested again.
enum Streams {
    /// The connect timeout in seconds: libcurl keeps its timer until it has passed, even after the connection is ready.
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
                            // An event counts once its data has arrived; its id is its time of sending.
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
