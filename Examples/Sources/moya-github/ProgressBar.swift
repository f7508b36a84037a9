import Foundation
import Moya

/// A progress bar on standard error: redrawn in place on a terminal, otherwise a line for each quarter.
struct ProgressBar {
    private static let width = 30
    private let isTerminal = Terminal.errorIsTerminal
    private var shownQuarter = 0

    mutating func draw(_ event: ProgressResponse) {
        let fraction = min(max(event.progress, 0), 1)
        if isTerminal {
            Terminal.writeError("\r" + bar(fraction), newline: event.completed)
        } else if Int(fraction * 4) > shownQuarter {
            shownQuarter = Int(fraction * 4)
            Terminal.writeError(bar(fraction))
        }
    }

    private func bar(_ fraction: Double) -> String {
        let filled = Int(fraction * Double(Self.width))
        let percent = Int(fraction * 100)
        return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
            + "] \(percent) %"
    }
}
