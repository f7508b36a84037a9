import Foundation

/// The size of a soak, and its limits.
struct SoakPlan: Sendable {
    var calls = 1_000_000
    var providers = 1_000
    var inFlight = 256
    /// The maximum accepted memory growth, in bytes an hour.
    var slopeBound = 1_048_576.0
    /// The maximum accepted growth of pages in memory, including free parts of the heap, in bytes an hour.
    var residentSlopeBound = 67_108_864.0
    let server: URL
    let authority: URL

    var callsPerProvider: Int { max(1, calls / providers) }
    /// Each phase uses two providers in each of four lanes.
    var callsPerPhase: Int { callsPerProvider * 8 }

    /// The plan from the command line and the servers of this run; `nil` if there are no servers, or an argument is
    /// unknown.
    init?(arguments: [String], environment: [String: String]) {
        guard let server = environment["MOYA_NGINX_HTTPS_URL"].flatMap({ URL(string: $0) }),
            let authority = environment["MOYA_TEST_CA"]
        else { return nil }
        self.server = server
        self.authority = URL(fileURLWithPath: authority)
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst(), let number = Int(value), number > 0 else { return nil }
            switch name {
            case "--calls": calls = number
            case "--providers": providers = number
            case "--in-flight": inFlight = number
            case "--slope": slopeBound = Double(number) * 1_048_576
            case "--resident-slope": residentSlopeBound = Double(number) * 1_048_576
            default: return nil
            }
        }
    }

    static let usage = """
        usage: Scripts/with-servers moya-soak [--calls N] [--providers N] [--in-flight N] [--slope MEBIBYTES-AN-HOUR] \
               [--resident-slope MEBIBYTES-AN-HOUR]
        """
}
