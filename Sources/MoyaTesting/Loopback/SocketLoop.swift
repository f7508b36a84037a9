import Dispatch
import Foundation
import MoyaTransport

/// One thread that runs a server's tasks and otherwise waits in `poll(2)` for its sockets.
///
/// As the tasks' executor, it keeps a server running while a test blocks every thread of Swift's own pool. Systems
/// before iOS 18 and macOS 15 have no task executors: there the pool runs the tasks, and the thread only waits.
final class SocketLoop: Sendable {
    private struct Wait {
        let token: UInt64
        let descriptor: Int32
        let events: Int16
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var jobs: [UnownedJob] = []
        var waits: [Wait] = []
        var lastToken: UInt64 = 0
        /// `true` if the thread waits in `poll` without work, so that new work has to wake it.
        var isAsleep = false
        /// `true` if the thread ends when it has no work left.
        var isFinishing = false
        var hasEnded = false
    }

    private let state = Lock(State())
    private let wakeReader: Int32
    private let wakeWriter: Int32
    private let whenEnded: @Sendable () -> Void

    /// Starts the thread, which lives until ``finish()`` and finally calls `whenEnded`.
    ///
    /// - Throws: ``TestSupportError/system(call:code:)``
    init(whenEnded: @escaping @Sendable () -> Void) throws {
        self.whenEnded = whenEnded
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw TestSupportError.system(call: "pipe", code: errno) }
        for end in ends { SocketDescriptor(number: end).keepPrivateAndUnblocking() }
        wakeReader = ends[0]
        wakeWriter = ends[1]
        let thread = Thread { self.run() }
        thread.name = "LoopbackServer"
        thread.start()
    }

    /// Starts a task that this thread runs.
    func start(_ operation: sending @escaping () async -> Void) -> Task<Void, Never> {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
            return Task(operation: operation)
        }
        return Task(executorPreference: self, operation: operation)
    }

    private func runJob(_ job: UnownedJob) {
        // Elsewhere there are none: only a task executor receives jobs.
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        job.runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Ends the thread when no job is left.
    func finish() {
        state.withLock { state in
            state.isFinishing = true
            wake(&state)
        }
    }

    /// Resumes a continuation when a descriptor has one of the events, or with an error when the wait is abandoned.
    ///
    /// Returns the token for ``abandon(_:because:)``; `nil` if the loop has ended, and has resumed the continuation.
    func resume(
        _ continuation: CheckedContinuation<Void, any Error>, when events: Int16, on descriptor: Int32
    ) -> UInt64? {
        let token: UInt64? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.lastToken += 1
            state.waits.append(
                Wait(token: state.lastToken, descriptor: descriptor, events: events, continuation: continuation))
            wake(&state)
            return state.lastToken
        }
        if token == nil { continuation.resume(throwing: TestSupportError.closed) }
        return token
    }

    /// Ends one wait with an error, if it has not ended yet.
    func abandon(_ token: UInt64, because error: any Error) {
        abandon(because: error) { $0.token == token }
    }

    /// Ends every wait for a descriptor that is about to close.
    func abandonAll(on descriptor: Int32, because error: any Error) {
        abandon(because: error) { $0.descriptor == descriptor }
    }

    private func abandon(because error: any Error, where isMeant: (Wait) -> Bool) {
        let abandoned = state.withLock { state in
            let abandoned = state.waits.filter(isMeant)
            if !abandoned.isEmpty {
                state.waits.removeAll(where: isMeant)
                // The reset is sent only after `poll` has released the socket.
                wake(&state)
            }
            return abandoned
        }
        for wait in abandoned { wait.continuation.resume(throwing: error) }
    }

    private func wake(_ state: inout State) {
        guard state.isAsleep else { return }
        state.isAsleep = false
        var byte: UInt8 = 1
        _ = write(wakeWriter, &byte, 1)
    }

    private func run() {
        var jobs: [UnownedJob] = []
        var descriptors: [pollfd] = []
        var tokens: [UInt64] = []
        while true {
            state.withLock { swap(&$0.jobs, &jobs) }
            for job in jobs { runJob(job) }
            jobs.removeAll(keepingCapacity: true)

            descriptors = [pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0)]
            tokens.removeAll(keepingCapacity: true)
            let sleeps: Bool? = state.withLock { state in
                guard !state.isFinishing || !state.jobs.isEmpty else {
                    // In the same critical section, so that no job is accepted afterwards.
                    state.hasEnded = true
                    return nil
                }
                for wait in state.waits {
                    descriptors.append(pollfd(fd: wait.descriptor, events: wait.events, revents: 0))
                    tokens.append(wait.token)
                }
                state.isAsleep = state.jobs.isEmpty
                return state.isAsleep
            }
            guard let sleeps else { return end() }
            // A thread that is woken meanwhile finds a byte in the pipe.
            let count = poll(&descriptors, nfds_t(descriptors.count), sleeps ? -1 : 0)
            if count > 0, descriptors[0].revents != 0 { emptyPipe() }
            let ready = count > 0 ? zip(descriptors.dropFirst(), tokens).filter { $0.0.revents != 0 }.map(\.1) : []
            resumeWaits(Set(ready))
        }
    }

    private func resumeWaits(_ ready: Set<UInt64>) {
        let resumed = state.withLock { state in
            state.isAsleep = false
            let resumed = state.waits.filter { ready.contains($0.token) }
            state.waits.removeAll { ready.contains($0.token) }
            return resumed
        }
        for wait in resumed { wait.continuation.resume() }
    }

    private func emptyPipe() {
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        while read(wakeReader, &bytes, bytes.count) > 0 {}
    }

    private func end() {
        let left = state.withLock { state in
            defer { state.waits = [] }
            return state.waits
        }
        // Without a lock, and after `hasEnded`: no thread writes to the pipe any more.
        _ = close(wakeReader)
        _ = close(wakeWriter)
        for wait in left { wait.continuation.resume(throwing: TestSupportError.closed) }
        whenEnded()
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SocketLoop: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isAccepted = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.jobs.append(job)
            wake(&state)
            return true
        }
        // A job is never dropped, or its task would neither continue nor be freed.
        if !isAccepted { DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) } }
    }
}
