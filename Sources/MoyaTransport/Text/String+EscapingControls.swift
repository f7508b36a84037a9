extension String {
    /// The text on one line, with control characters escaped as in Swift.
    package var escapingControls: String {
        unicodeScalars.reduce(into: "") {
            $0 += $1.value < 0x20 || $1.value == 0x7F ? $1.escaped(asASCII: false) : String($1)
        }
    }
}
