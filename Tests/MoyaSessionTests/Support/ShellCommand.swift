#if os(Linux) || os(macOS)
import Foundation

/// A command of the shell, run to its end.
///
/// On Linux without Foundation's `Process`, which reads the list of the process's descriptors beyond its end, and crashes,
/// where other tests have more than a thousand of them open. On macOS Swift has no `popen`.
struct ShellCommand {
    let output: String
    /// 0 when all went well.
    let status: Int32

    struct CannotStart: Error {}

    init(_ text: String) throws {
        #if os(Linux)
        guard let pipe = popen(text, "r") else { throw CannotStart() }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { bytes += buffer[..<count] }
        output = String(decoding: bytes, as: UTF8.self)
        status = pclose(pipe)
        #else
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", text]
        process.standardOutput = pipe
        try process.run()
        output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
        #endif
    }
}
#endif
