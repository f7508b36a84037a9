import Foundation

/// The peak resident memory of the process, as reported by the kernel.
func mostResidentBytes() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
        let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
    else { return 0 }
    return (Int(line.split(whereSeparator: \.isWhitespace)[1]) ?? 0) * 1024
}
