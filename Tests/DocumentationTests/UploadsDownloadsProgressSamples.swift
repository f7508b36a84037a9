import Foundation
import Moya
import Testing

/// The samples of the article UploadsDownloadsProgress.
@Suite struct UploadsDownloadsProgressSamples {
    // snippet: target
    enum Files: TargetType {
        case send(URL)
        case portrait(png: Data, title: String)
        case fetch(String, to: URL)

        var baseURL: URL { URL(string: "https://files.example.com")! }
        var path: String {
            switch self {
            case .send(let file): "files/\(file.lastPathComponent)"
            case .portrait: "portraits"
            case .fetch(let name, _): "files/\(name)"
            }
        }
        var method: Moya.Method {
            switch self {
            case .send: .put
            case .portrait: .post
            case .fetch: .get
            }
        }
        var task: Task {
            switch self {
            case .send(let file):
                .uploadFile(file)
            case .portrait(let png, let title):
                .uploadMultipart([
                    MultipartFormData(
                        provider: .data(png), name: "image", fileName: "portrait.png", mimeType: "image/png"),
                    MultipartFormData(provider: .data(Data(title.utf8)), name: "title"),
                ])
            case .fetch(_, let destination):
                .downloadDestination { _, _ in
                    (destination, [.removePreviousFile, .createIntermediateDirectories])
                }
            }
        }
        var headers: [String: String]? { nil }
        var validationType: ValidationType { .successCodes }
    }
    // end

    private func sequence(_ provider: MoyaProvider<Files>, destination: URL) async throws {
        // snippet: sequence
        for try await event in provider.progress(of: .fetch("swift.tar", to: destination)) {
            print(event.progress, event.progressObject?.completedUnitCount ?? 0)
            if let response = event.response { print("done:", response.statusCode) }
        }
        // end
    }

    private func block(_ provider: MoyaProvider<Files>, file: URL) {
        // snippet: block
        provider.request(.send(file)) { event in
            print(event.progress)
        } completion: { result in
            print(result)
        }
        // end
    }

    private func resume(destination: URL) {
        // snippet: resume
        let session = Session()
        let download = session.download(
            "https://files.example.com/swift.tar", to: { _, _ in (destination, [.removePreviousFile]) })
        download.response { response in
            guard let rest = response.resumeData else { return }
            session.download(resumingWith: rest, to: { _, _ in (destination, [.removePreviousFile]) })
                .response { print($0.fileURL ?? "failed again") }
        }
        // end
    }

    @Test func aStubReportsProgress() async throws {
        let provider = MoyaProvider<Files>(stubClosure: MoyaProvider.immediatelyStub)
        var last = 0.0
        for try await event in provider.progress(of: .portrait(png: Data(), title: "")) { last = event.progress }
        #expect(last == 1)
    }
}
