import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A program that loads `URLRequest` and makes no call: the minimum for every client with that type in its interface.
@main
enum StartNetworking {
    static func main() {
        // Never `true`; without this use the library would not be linked.
        if CommandLine.arguments.isEmpty { print(URLRequest.self, URLSession.self) }
        FileHandle.standardOutput.write(Data("started\n".utf8))
        _exit(0)
    }
}
