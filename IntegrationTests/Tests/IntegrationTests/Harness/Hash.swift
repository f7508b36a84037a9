import Foundation
import Testing

/// The SHA-256 of a file, by the openssl command: the library under test has no part in it.
func sha256(of file: URL) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl", "dgst", "-sha256", "-r", file.path]
    let output = Pipe()
    process.standardOutput = output
    try process.start()
    let text = String(decoding: try output.fileHandleForReading.rest(), as: UTF8.self)
    process.waitUntilExit()
    return try #require(text.split(separator: " ").first.map(String.init), "openssl says: \(text)")
}

/// The SHA-256 of bytes in memory.
func sha256(of data: Data) throws -> String {
    try withTemporaryDirectory { directory in
        let file = directory.appendingPathComponent("data")
        try data.write(to: file)
        return try sha256(of: file)
    }
}
