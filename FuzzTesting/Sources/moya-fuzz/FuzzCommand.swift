import Foundation

/// Runs libFuzzer on one target: `moya-fuzz TARGET [libFuzzer arguments]`; without a target it lists them.
@main
enum FuzzCommand {
    static func main() {
        guard CommandLine.arguments.count > 1 else {
            for target in FuzzTarget.all { print(target.name) }
            return
        }
        let name = CommandLine.arguments[1]
        guard FuzzTarget.all.contains(where: { $0.name == name }) else {
            print("moya-fuzz: no target is called \(name)")
            exit(64)
        }
        setenv(variable, name, 1)
        // libFuzzer does not see the name; it starts itself again where it minimizes a find, and then has no name either.
        var arguments: [UnsafeMutablePointer<CChar>?] =
            CommandLine.arguments.indices
            .filter { $0 != 1 }.map { strdup(CommandLine.arguments[$0]) } + [nil]
        var count = Int32(arguments.count - 1)
        arguments.withUnsafeMutableBufferPointer { buffer in
            guard var start = buffer.baseAddress else { return }
            exit(runDriver(&count, &start, testOneInput))
        }
    }

    /// Names the target to ``chosen``.
    static let variable = "MOYA_FUZZ_TARGET"

    static let chosen: FuzzTarget? = {
        let name = ProcessInfo.processInfo.environment[variable]
        return FuzzTarget.all.first { $0.name == name }
    }()
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

private func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do {
        try FuzzCommand.chosen?.check(bytes)
    } catch {
        // libFuzzer sees the trap, and stores the input.
        fatalError("\(error)")
    }
    return 0
}
