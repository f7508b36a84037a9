import Foundation

extension Date {
    /// The date as an IMF-fixdate (RFC 9110 section 5.6.7), in whole seconds.
    var httpText: String { Self.httpFormatter.string(from: self) }

    private static let httpFormatter: DateFormatter = {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter
    }()
}
