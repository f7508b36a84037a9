import Foundation
import MoyaTransport

/// The short date and time of the current locale, formatted once a minute, since formatting costs more than the rest of
/// an entry.
enum LogDate {
    private struct Formatted {
        var minute = -Double.infinity
        var text = ""
    }

    private static let last = Lock(Formatted())

    static var text: String {
        let now = Date()
        let minute = (now.timeIntervalSinceReferenceDate / 60).rounded(.down)
        let known = last.withLock { $0.minute == minute ? $0.text : nil }
        if let known { return known }
        let text = DateFormatter.localizedString(from: now, dateStyle: .short, timeStyle: .short)
        last.withLock { $0 = Formatted(minute: minute, text: text) }
        return text
    }
}
