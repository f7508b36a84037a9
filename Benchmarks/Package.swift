// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// The figures are of the process (getrusage, /proc) and the C program waits with epoll: Linux only.
let package = Package(
    name: "MoyaBenchmarks",
    // Without the trait TaskAlias: `Task` is Swift's here.
    dependencies: [.package(name: "Moya", path: "..", traits: [])],
    targets: [
        // The counters of a process about itself, the same for both programs.
        .target(name: "CMeasure", cSettings: [.define("_GNU_SOURCE")]),
        // The limit: the same requests by libcurl alone.
        .executableTarget(
            name: "curl-baseline", dependencies: ["CMeasure"], cSettings: [.define("_GNU_SOURCE")],
            linkerSettings: [.linkedLibrary("curl")]),
        // What both read streams of events from.
        .executableTarget(name: "event-server", cSettings: [.define("_GNU_SOURCE")]),
        // Every other client, with the public API only.
        .executableTarget(
            name: "moya-bench", dependencies: ["CMeasure", .product(name: "Moya", package: "Moya")],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
