import CHeap
import Foundation

/// What the process holds at a moment, as the kernel and the C library count it.
struct ProcessFigures {
    let descriptors: Int
    let threads: Int
    /// Pages in memory, in bytes.
    let residentBytes: Int
    /// Allocated and not freed.
    let heapBytes: Int

    /// Whether the system tells; where it does not, every figure is nothing.
    static var areKnown: Bool { FileManager.default.fileExists(atPath: "/proc/self/status") }

    static func now() -> ProcessFigures {
        ProcessFigures(
            descriptors: entries(of: "/proc/self/fd") - 1, threads: entries(of: "/proc/self/task"),
            residentBytes: status("VmRSS:") * 1024, heapBytes: heap_bytes_in_use())
    }

    /// The same once free memory has gone back to the kernel, so that what is left is what is held.
    static func afterTrimming() -> ProcessFigures {
        heap_trim()
        return now()
    }

    static var descriptorsNow: Int { entries(of: "/proc/self/fd") - 1 }
    static var threadsNow: Int { entries(of: "/proc/self/task") }

    private static func entries(of directory: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0
    }

    private static func status(_ name: String) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) })
        else { return 0 }
        return line.split(whereSeparator: { $0.isWhitespace }).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
