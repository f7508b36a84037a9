/// What is done on the way to a download's destination.
public struct DownloadOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Makes the directories that lead to the destination.
    public static let createIntermediateDirectories = DownloadOptions(rawValue: 1 << 0)
    /// Removes a file that stands at the destination.
    public static let removePreviousFile = DownloadOptions(rawValue: 1 << 1)
}
