import MoyaTransport

extension TransportExchange {
    /// Pauses an exchange whose caller may resume it at the same time.
    ///
    /// - Parameter isPaused: Returns `false` once the caller has resumed: the pause may have come after that.
    func pause(while isPaused: () -> Bool) {
        pause()
        if !isPaused() { resume() }
    }
}
