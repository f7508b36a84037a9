import CMeasure
import Glibc

/// The clients of other packages; `Scripts/bench` builds and starts it.
@main
enum PeerBench {
    private static let usage = """
        peer-bench load URL --client callback|async [--in-flight N] [--connections N] [--seconds S] [--ca FILE]
                   [--http2] [--field 'Name: value']...
        """

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            guard arguments.first == "load" else { throw UsageError("no such subcommand") }
            let options = try Options(arguments.dropFirst())
            try load(options)
        } catch {
            // Swift 6 does not allow access to the variable `stderr`.
            let text = Array("peer-bench: \(error)\n\(error is UsageError ? usage + "\n" : "")".utf8)
            write(STDERR_FILENO, text, text.count)
            exit(error is UsageError ? 64 : 1)
        }
    }

    private static func load(_ options: Options) throws {
        measure_raise_descriptor_limit()
        let load = try AsyncHTTPClientLoad(options)
        let start: () -> Void
        switch options.client {
        case "callback": start = { load.startCompleting() }
        case "async": start = { Task { await load.awaitCalls() } }
        default: throw UsageError("--client: \(options.client) is none of them")
        }
        measure_load(UInt32(options.inFlight), options.seconds)
        for _ in 0..<options.inFlight { start() }
        // The measurement ends the process.
        while true { pause() }
    }
}
