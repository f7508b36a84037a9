import Foundation

/// The program: parses its arguments, makes one call, and exits with a status for the result.
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
