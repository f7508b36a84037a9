#if os(Linux)
import Foundation
import Glibc
import Testing

@testable import MoyaCurl

@Suite struct BrokenPipeSignalTests {
    @Test func aBrokenWriteEndsNothingAndLeavesNoPendingSignal() async {
        await #expect(processExitsWith: .success) {
            var before = sigset_t()
            var after = sigset_t()
            var pending = sigset_t()
            pthread_sigmask(SIG_SETMASK, nil, &before)
            BrokenPipeSignal.withheld { BrokenPipeSignalTests.writeToABrokenPipe() }
            pthread_sigmask(SIG_SETMASK, nil, &after)
            sigpending(&pending)
            #expect(sigismember(&before, SIGPIPE) == 0 && sigismember(&after, SIGPIPE) == 0)
            #expect(sigismember(&pending, SIGPIPE) == 0)
        }
    }

    @Test func aThreadThatBlocksTheSignalKeepsItBlockedAndPending() async {
        await #expect(processExitsWith: .success) {
            BrokenPipeSignal.block()
            var after = sigset_t()
            var pending = sigset_t()
            BrokenPipeSignal.withheld { BrokenPipeSignalTests.writeToABrokenPipe() }
            pthread_sigmask(SIG_SETMASK, nil, &after)
            sigpending(&pending)
            #expect(sigismember(&after, SIGPIPE) == 1)
            #expect(sigismember(&pending, SIGPIPE) == 1)
        }
    }

    static func writeToABrokenPipe() {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        var byte: UInt8 = 0
        #expect(write(ends[1], &byte, 1) == -1)
        #expect(errno == EPIPE)
        close(ends[1])
    }
}

@Suite struct LoopLockTests {
    @Test func lockHolderDoesNotLockAgain() {
        let loopLock = LoopLock()
        var got: [String] = []
        loopLock.withLockIfFree {
            got.append("first")
            loopLock.withLockIfFree { got.append("second") }
        }
        loopLock.withLockIfFree { got.append("third") }
        #expect(got == ["first", "third"])
    }
}
#endif
