import MoyaTransport

extension Duration {
    /// Makes a duration of days of 24 hours, such as ``HTTPCache/memory(limit:staleIfError:)`` takes; at most a century.
    public static func days(_ days: Double) -> Duration { Duration(clampingSeconds: days * 86400) }
}
