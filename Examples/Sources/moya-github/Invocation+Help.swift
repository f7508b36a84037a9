extension Invocation {
    /// The text of `--help`.
    static let helpText = """
        usage: moya-github [OPTION...] COMMAND

        Commands:
          zen                       a line of GitHub's wisdom
          user NAME                 a user's profile
          repos NAME                a user's repositories          [--page N]
          events NAME               a user's public events          [--follow]
          upload FILE [PATH]        sends a file as a POST body
          multipart FILE [PATH]     sends a file in a form         [--field NAME=VALUE]...
          download PATH FILE        saves what PATH answers; PATH may have a query: /range/1024?duration=1

        upload and multipart expect a server that tells what it received, as httpbin's /post does (the default PATH).
        events --follow goes on for as long as the server sends events (text/event-stream), and connects again when the
        connection ends. GitHub has no such stream; the server of make demo does.

        Options:
          --base-url URL            the server (default: https://api.github.com)
          --stub                    answer with sample data; no network
          --verbose                 log requests and responses to standard error
          --json                    print the result as JSON
          --help                    this text

        Exit status: 0 done; 1 the server refused, or answered something else than expected; 2 no answer;
        64 the command line is wrong; 74 a file cannot be read or written.
        """
}
