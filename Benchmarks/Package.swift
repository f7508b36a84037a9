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
    dependencies: [.package(name: "Moya", path: "..")],
    targets: [
        // The counters of a process about itself, the same for both programs.
        .target(name: "CMeasure", cSettings: [.define("_GNU_SOURCE")]),
        // The limit: the same requests by libcurl alone.
        .executableTarget(
            name: "curl-baseline", dependencies: ["CMeasure"], cSettings: [.define("_GNU_SOURCE")],
            linkerSettings: [.linkedLibrary("curl")]),
        // The server of the event streams.
        .executableTarget(name: "event-server", cSettings: [.define("_GNU_SOURCE")]),
        // Programs whose first act is a call, or that make none: the time from their start to the first response.
        .executableTarget(
            name: "start-moya", dependencies: [.product(name: "Moya", package: "Moya")], swiftSettings: settings),
        .executableTarget(name: "start-urlsession", swiftSettings: settings),
        .executableTarget(name: "start-networking", swiftSettings: settings),
        .executableTarget(name: "start-foundation", swiftSettings: settings),
        // Every other client, with the public API only.
        .executableTarget(
            name: "moya-bench", dependencies: ["CMeasure", .product(name: "Moya", package: "Moya")],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
