import Foundation

/// The descriptors of the process.
package enum OpenFiles {
    /// Counts the open descriptors, of which one is for the count itself.
    package static func count() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count
    }

    #if os(Linux)
    /// Raises the limit to a number, as far as the system allows it, and returns if it is reached.
    package static func raiseLimit(to count: UInt) -> Bool {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return false }
        guard limit.rlim_cur < count else { return true }
        limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
        return setrlimit(resource, &limit) == 0 && limit.rlim_cur >= count
    }

    /// Lowers the limit, so that a test may take every descriptor.
    package static func lowerLimit(to count: UInt) -> Bool {
        var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: rlim_t(count))
        return setrlimit(resource, &limit) == 0
    }

    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
}
