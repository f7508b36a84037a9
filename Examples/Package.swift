// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "MoyaExamples",
    platforms: [.macOS(.v13)],
    products: [
        .executable(name: "moya-github", targets: ["moya-github"]),
        .executable(name: "moya-session", targets: ["moya-session"]),
        .executable(name: "moya-chat", targets: ["moya-chat"]),
    ],
    dependencies: [.package(name: "Moya", path: "..")],
    targets: [
        // The targets, which describe the API and know nothing about a command line.
        .target(
            name: "GitHubAPI", dependencies: [.product(name: "Moya", package: "Moya")], swiftSettings: settings),
        // The program that calls them.
        .executableTarget(
            name: "moya-github",
            dependencies: ["GitHubAPI", .product(name: "Moya", package: "Moya")],
            swiftSettings: settings),
        // A program whose session outlives its tokens.
        .executableTarget(
            name: "moya-session", dependencies: [.product(name: "Moya", package: "Moya")], swiftSettings: settings),
        // Alamofire code that keeps `import Alamofire`: one file stands for that module.
        .target(name: "Alamofire", dependencies: [.product(name: "MoyaSession", package: "Moya")]),
        .executableTarget(
            name: "moya-alamofire", dependencies: ["Alamofire", .product(name: "Moya", package: "Moya")],
            swiftSettings: settings),
        // A conversation that is printed word by word.
        .executableTarget(
            name: "moya-chat", dependencies: [.product(name: "Moya", package: "Moya")], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
