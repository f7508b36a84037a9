extension TransportExchange {
    /// Pauses or resumes an exchange whose caller may ask for the opposite at the same time.
    ///
    /// - Parameter isPaused: Returns what the caller asked for last.
    package func setPaused(_ isPaused: () -> Bool) {
        var pauses: Bool
        repeat {
            pauses = isPaused()
            if pauses { pause() } else { resume() }
        } while isPaused() != pauses
    }
}
