extension TransportExchange {
    /// Pauses an exchange whose caller may resume it at the same time.
    ///
    /// - Parameter isPaused: Returns `false` once the caller has resumed: the pause may have come after that.
    package func pause(while isPaused: () -> Bool) {
        repeat {
            pause()
            if isPaused() { return }
            resume()
        } while isPaused()
    }

    /// Resumes an exchange whose caller may pause it at the same time.
    ///
    /// - Parameter isPaused: Returns `true` once the caller has paused: the resumption may have come after that.
    package func resume(unless isPaused: () -> Bool) {
        resume()
        if isPaused() { pause(while: isPaused) }
    }
}
