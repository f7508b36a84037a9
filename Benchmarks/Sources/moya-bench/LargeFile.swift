import CMeasure
import Foundation
import Moya

/// Uploads or downloads a file that is larger than memory.
enum LargeFile {
    static func run(_ options: Options, isUpload: Bool) async throws {
        guard let file = options.file else { throw UsageError("--file is missing") }
        let provider = MoyaProvider<BenchmarkAPI>(session: options.session())
        // The first call allocates memory that is not part of the transfer.
        _ = try await provider.request(.small(options.url))
        let peak = measure_status("VmHWM")
        let cpu = measure_cpu_microseconds()
        let started = measure_now()
        _ = try await provider.request(
            isUpload ? .upload(options.url, from: file) : .download(options.url, to: file))
        let seconds = Double(measure_now() - started) / 1e9
        let bytes = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        Figures.print([
            ("mebibytesPerSecond", Double(bytes) / 1_048_576 / seconds),
            ("cpuMicroseconds", measure_cpu_microseconds() - cpu),
            ("bytes", Double(bytes)),
            ("extraKiB", Double(measure_status("VmHWM") - peak)),
        ])
    }
}
