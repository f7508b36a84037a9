#if os(Linux)
import CMoyaCurl

/// Makes libcurl try the next address of a name when one fails.
///
/// libcurl 7.88 to 8.3 chooses the next address at once, and opens its socket the next time that the transfer runs.
/// Nothing makes it run then, but a limit of time.
extension CurlEasy {
    private static let nanosecondsBetweenChecks: UInt64 = 100_000_000

    /// Starts the checks of a transfer that connects.
    func watchAddresses() {
        guard CurlVersion.loaded.opensNextAddressLate else { return }
        addressCheck = multi.eventLoop.now &+ Self.nanosecondsBetweenChecks
        multi.watch(deadline: addressCheck)
    }

    /// Runs the transfer, and plans the next check.
    func checkAddresses() {
        watchAddresses()
        curl_easy_pause(easy, CURLPAUSE_RECV)
        curl_easy_pause(easy, CURLPAUSE_CONT)
        multi.eventLoop.touch(multi)
    }
}
#endif
