import Foundation
import Testing

/// The SHA-256 of a file, by the openssl command: the library under test has no part in it.
func sha256(of file: URL) throws -> String {
    let openssl = try ChildProcess(["openssl", "dgst", "-sha256", "-r", file.path])
    let text = try openssl.rest()
    openssl.wait()
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
