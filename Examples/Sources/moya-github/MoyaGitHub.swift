import Foundation

/// The program: reads its arguments, makes one call, and ends with a status that says how it went.
@main
struct MoyaGitHub {
    static func main() async {
        do throws(Failure) {
            switch try Invocation(arguments: Array(CommandLine.arguments.dropFirst())) {
            case .help:
                print(Invocation.helpText)
            case .run(let command, let options):
                try await Runner(options: options).run(command)
            }
        } catch {
            Terminal.writeError("moya-github: \(error.message)")
            exit(error.exitStatus)
        }
    }
}
