import Dispatch
import Foundation

/// Makes very many calls over TLS, and fails if one completes twice or never, or if a resource leaks.
@main
enum SoakCommand {
    static func main() {
        let process = ProcessInfo.processInfo
        guard let plan = SoakPlan(arguments: Array(process.arguments.dropFirst()), environment: process.environment)
        else {
            print(SoakPlan.usage)
            exit(64)
        }
        Thread { exit(SoakRun(plan: plan).run() ? 0 : 1) }.start()
        // A third of the completions run on the main queue, as they do by default.
        dispatchMain()
    }
}
