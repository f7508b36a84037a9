import Moya

enum GitHub {
    case zen
    case user(String)
    case repositories(String, page: Int)
}
