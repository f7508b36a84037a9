import Foundation

/// Makes a system call, again while a signal interrupts it (`EINTR`).
package func retryingOnInterrupt<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
