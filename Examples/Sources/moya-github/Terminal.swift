import Foundation

/// Standard error, which leaves standard output to results.
enum Terminal {
    static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    static func writeError(_ text: String, newline: Bool = true) {
        FileHandle.standardError.write(Data((newline ? text + "\n" : text).utf8))
    }
}
