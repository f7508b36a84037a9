import CHeap
import Foundation

/// The current resources of the process, as reported by the kernel and the C library.
struct ProcessFigures {
    let descriptors: Int
    let threads: Int
    /// Pages in memory, in bytes.
    let residentBytes: Int
    /// The bytes in use: allocations in the heap, and every page outside it.
    ///
    /// Many pages of the heap are partly free, and their number changes by a tenth from phase to phase.
    let heldBytes: Int

    /// `true` if the system reports them; otherwise every figure is zero.
    static var areKnown: Bool { FileManager.default.fileExists(atPath: "/proc/self/smaps") }

    private static func now() -> ProcessFigures {
        let (descriptors, threads) = (descriptorsNow, threadsNow)
        let resident = resident_bytes()
        return ProcessFigures(
            descriptors: descriptors, threads: threads, residentBytes: resident.heap + resident.elsewhere,
            heldBytes: heap_bytes_in_use() + resident.elsewhere)
    }

    /// The figures after free memory was returned to the kernel, so that only used memory counts.
    static func afterTrimming() -> ProcessFigures {
        heap_trim()
        return now()
    }

    static var descriptorsNow: Int { entries(of: "/proc/self/fd") - 1 }
    static var threadsNow: Int { entries(of: "/proc/self/task") }

    private static func entries(of directory: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0
    }
}
