import Foundation
import Moya
import MoyaSession

/// A target that is put together where it is used: the requirements of a test are all in the test.
struct AnyTarget: TargetType {
    var baseURL: URL
    var path = ""
    var method = Moya.Method.get
    var task = RequestTask.requestPlain
    var headers: [String: String]?
    var validationType = ValidationType.none
    var sampleData = Data()
}

/// A directory of the test's own, empty at first, removed with the object.
final class TestDirectory: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("moya-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String, _ content: Data = Data()) throws -> URL {
        let file = url.appendingPathComponent(name)
        try content.write(to: file)
        return file
    }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }
}

/// A directory that all of this process takes for the temporary one, from now on; for a process that one test has to
/// itself.
final class TemporaryDirectoryOfThisProcess: Sendable {
    private let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
        setenv("TMPDIR", directory.url.path, 1)
    }

    var url: URL { directory.url }
    var names: [String] { directory.names }
}

extension MoyaError {
    /// The engine's error inside.
    var sessionError: SessionError? { if case .underlying(let error, _) = self { error as? SessionError } else { nil } }
    /// The transport's failure kind.
    var wireKind: TransportFailure.Kind? { sessionError?.transportFailure?.kind }
}

/// The error that a call ends with; `nil` when it succeeds.
func failure(of target: AnyTarget, session: Session = MoyaProvider<AnyTarget>.defaultAlamofireSession()) async
    -> MoyaError?
{
    do throws(MoyaError) {
        _ = try await MoyaProvider<AnyTarget>(session: session).request(target)
        return nil
    } catch {
        return error
    }
}
