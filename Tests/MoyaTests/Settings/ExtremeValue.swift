import Foundation

extension Date: ExtremeValue {
    static var extremes: [Date] {
        [.distantPast, .distantFuture] + Double.extremes.map { Date(timeIntervalSince1970: $0) }
    }

    static func text(_ value: Date) -> String { "1970 + \(value.timeIntervalSince1970)" }
}

extension Optional: ExtremeValue where Wrapped: ExtremeValue {
    static var extremes: [Wrapped?] { [nil] + Wrapped.extremes.map { $0 } }

    static func text(_ value: Wrapped?) -> String { value.map(Wrapped.text) ?? "nil" }
}
