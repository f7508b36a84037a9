import Foundation
import Moya

/// Prints figures, and records if one of them is out of bounds.
struct Report {
    private(set) var isOff = false

    func heading(_ text: String) { print("\n\(text)") }

    func figures(_ name: String, _ figures: Traffic.Figures) {
        let extra = String(format: "%.3f %%", figures.extraLoad * 100)
        print(
            "  \(name): \(figures.calls) calls, \(figures.attempts) attempts (\(extra) extra), "
                + "at most \(figures.mostAttemptsOfACall) of one call, \(figures.cutByDeadline) cut by their deadline, "
                + "\(figures.brokenDeadlines) deadlines broken")
    }

    mutating func check(_ claim: String, _ holds: Bool) {
        print("  \(holds ? "ok: " : "OFF: ")\(claim)")
        if !holds { isOff = true }
    }
}
