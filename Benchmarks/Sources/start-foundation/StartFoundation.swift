import Foundation

/// A program that imports Foundation and does nothing.
@main
enum StartFoundation {
    static func main() {
        FileHandle.standardOutput.write(Data("started\n".utf8))
        _exit(0)
    }
}
