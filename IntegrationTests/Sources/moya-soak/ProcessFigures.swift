import CHeap
import Foundation

/// The resources of the process at a moment, as the kernel and the C library count them.
struct ProcessFigures {
    let descriptors: Int
    let threads: Int
    /// Pages in memory, in bytes.
    let residentBytes: Int
    /// The bytes that the program still holds: allocations in the heap, and every page elsewhere.
    ///
    /// Of the heap's pages many are in part free, and how many those are changes by a tenth from phase to phase.
    let heldBytes: Int

    /// `true` if the system reports them; where it does not, every figure is zero.
    static var areKnown: Bool { FileManager.default.fileExists(atPath: "/proc/self/smaps") }

    private static func now() -> ProcessFigures {
        let (descriptors, threads) = (descriptorsNow, threadsNow)
        let resident = resident_bytes()
        return ProcessFigures(
            descriptors: descriptors, threads: threads, residentBytes: resident.heap + resident.elsewhere,
            heldBytes: heap_bytes_in_use() + resident.elsewhere)
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
}
