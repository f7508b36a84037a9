import Foundation
import GitHubAPI
import Moya

/// Makes calls, and prints their results.
struct Runner {
    private let output: Output
    private let isStubbed: Bool
    private let github: MoyaProvider<GitHub>
    private let transfers: MoyaProvider<Transfer>

    init(options: Options) {
        let plugins: [any PluginType] = options.isVerbose ? [NetworkLoggerPlugin.toStandardError] : []
        output = Output(isJSON: options.printsJSON)
        isStubbed = options.isStubbed
        github = .at(options.baseURL, stubbed: options.isStubbed, plugins: plugins)
        transfers = .at(options.baseURL, stubbed: options.isStubbed, plugins: plugins)
    }

    func run(_ command: Command) async throws(Failure) {
        switch command {
        case .upload(let file, _), .multipart(let file, _, _): try requireFile(file)
        default: break
        }
        do throws(MoyaError) {
            switch command {
            case .zen:
                output.show(zen: try await github.request(.zen).mapString())
            case .user(let name):
                output.show(try await github.request(.profile(user: name), as: User.self))
            case .repositories(let user, let page):
                output.show(try await github.request(.repositories(user: user, page: page), as: [Repository].self))
            case .events(let user, isFollowed: false):
                for try await event in github.jsonLines(of: .events(user: user), as: Event.self) { output.show(event) }
            case .events(let user, isFollowed: true):
                // Sample data would be repeated endlessly.
                let events = github.events(
                    of: .feed(user: user), as: Event.self, reconnecting: isStubbed ? nil : .default)
                for try await event in events { output.show(event) }
            case .upload(let file, let path):
                output.show(try await receipt(of: .upload(file: file, path: path)))
            case .multipart(let file, let fields, let path):
                output.show(try await receipt(of: .multipart(file: file, fields: fields, path: path)))
            case .download(let path, let query, let destination):
                let response = try await followProgress(
                    of: .download(path: path, query: query, destination: destination))
                output.show(downloaded: destination, status: response.statusCode)
            }
        } catch {
            throw .call(error)
        }
    }

    private func receipt(of transfer: Transfer) async throws(MoyaError) -> Receipt {
        try await followProgress(of: transfer).map(Receipt.self)
    }

    /// Draws a progress bar, and returns the response of the last event.
    private func followProgress(of transfer: Transfer) async throws(MoyaError) -> Response {
        var bar = ProgressBar()
        var last: Response?
        for try await event in transfers.progress(of: transfer) {
            bar.draw(event)
            last = event.response
        }
        guard let last else { throw MoyaError.underlying(URLError(.cancelled), nil) }
        return last
    }

    private func requireFile(_ file: URL) throws(Failure) {
        guard FileManager.default.isReadableFile(atPath: file.path) else {
            throw .file("\(file.path): no such file, or it may not be read")
        }
    }
}
