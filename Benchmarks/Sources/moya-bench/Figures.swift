import Foundation

/// The figures of a subcommand, as one line of JSON on the standard output.
enum Figures {
    static func print(_ figures: [(name: String, value: Double)]) {
        let members = figures.map { "\"\($0.name)\": \($0.value)" }
        Swift.print("{\(members.joined(separator: ", "))}")
        // Every stream: `stdout` is a variable, which Swift 6 does not let code read.
        fflush(nil)
    }
}
