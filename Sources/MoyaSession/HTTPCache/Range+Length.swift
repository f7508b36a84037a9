extension Range<Int64> {
    /// The number of bytes; `count` is an `Int`, and traps on 32-bit watchOS if it is too large for that.
    var length: Int64 { upperBound - lowerBound }
}
