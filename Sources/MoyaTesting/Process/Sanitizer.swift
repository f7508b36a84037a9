import Foundation

/// The sanitizer that the tests run under.
package enum Sanitizer {
    /// `true` under `make sanitize`, which sets these variables.
    package static let isActive = ["TSAN_OPTIONS", "ASAN_OPTIONS"].contains {
        ProcessInfo.processInfo.environment[$0] != nil
    }
}
