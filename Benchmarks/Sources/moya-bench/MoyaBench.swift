import CMeasure
import Dispatch
import Foundation
import Moya
import MoyaSession

import struct _Concurrency.Task

/// The Swift clients of the benchmark; `Scripts/bench` starts them.
@main
enum MoyaBench {
    private static let usage = """
        moya-bench load --client wire|completion|await|deadline|decoded|furnished|complete|urlsession --url URL
                   [--in-flight N] [--connections N] [--seconds S] [--ca FILE] [--http2] [--loops N]
        moya-bench streams --url URL [--in-flight N] [--connections N] [--seconds S]
        moya-bench stub
        moya-bench idle --url URL [--client none|moya]
        moya-bench download|upload --url URL --file FILE
        moya-bench waiting --url URL --in-flight N --connections N [--client await|completion]
        moya-bench cache [--url URL] [--connections N] [--client small|megabyte|large]
        moya-bench cache-download --file FILE
        moya-bench fields
        moya-bench progress --url URL
        moya-bench parts [--client logs|cookies|forms|fields]
        """

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        do throws(UsageError) {
            let options = try Options(arguments.dropFirst())
            switch arguments.first {
            case "load": try load(options)
            case "streams": Streams.run(options)
            case "stub": Stubs.run()
            case "idle": finish { try await Idle.run(options) }
            case "download": finish { try await LargeFile.run(options, isUpload: false) }
            case "upload": finish { try await LargeFile.run(options, isUpload: true) }
            case "waiting": Waiting.run(options)
            case "cache": finish { try await CacheHits.run(options) }
            case "cache-download": finish { try await CacheHits.download(options) }
            case "progress": finish { try ProgressClosure.run(options) }
            case "parts": finish { try Parts.run(options.client) }
            // Prints the fields of every call, for clients without a session.
            case "fields": for field in HTTPHeaders.default { print("\(field.name): \(field.value)") }
            default: throw UsageError("no such subcommand")
            }
        } catch {
            fail(error.text, status: 64)
        }
    }

    private static func load(_ options: Options) throws(UsageError) {
        measure_raise_descriptor_limit()
        let start: () -> Void
        switch options.client {
        case "wire":
            let load = WireLoad(options)
            start = { load.start() }
        case "urlsession":
            let load = URLSessionLoad(options)
            start = { load.start() }
        case "completion":
            let load = ProviderLoad(options)
            start = { load.startCompleting() }
        case "await":
            let load = ProviderLoad(options)
            start = { Task { await load.awaitCalls() } }
        case "deadline":
            let load = ProviderLoad(options)
            start = { Task { await load.awaitCalls(deadline: .seconds(30)) } }
        case "decoded":
            let load = ProviderLoad(options)
            start = { Task { await load.awaitValues() } }
        case "furnished":
            let load = ProviderLoad(options, provider: FurnishedProvider.make(options))
            start = { Task { await load.awaitCalls() } }
        case "complete":
            let load = ProviderLoad(options, provider: FurnishedProvider.make(options, hasLogger: true))
            start = { Task { await load.awaitCalls(deadline: .seconds(30)) } }
        default:
            throw UsageError("--client: \(options.client) is none of them")
        }
        measure_load(UInt32(options.inFlight), options.seconds)
        for _ in 0..<options.inFlight { start() }
        // The completion form's closures run on the main queue; the measurement ends the process.
        dispatchMain()
    }

    /// Runs an operation to its end, and ends the process with it.
    private static func finish(_ operation: @escaping @Sendable () async throws -> Void) -> Never {
        Task {
            do {
                try await operation()
                exit(0)
            } catch let error as UsageError {
                fail(error.text, status: 64)
            } catch {
                fail(error.localizedDescription, status: 1)
            }
        }
        dispatchMain()
    }

    private static func fail(_ text: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("moya-bench: \(text)\n\(status == 64 ? usage : "")\n".utf8))
        exit(status)
    }
}
