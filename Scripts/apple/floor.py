#!/usr/bin/env python3
"""Finds uses of APIs that are newer than Package.swift's platforms: floor.py COPIES [TARGET...]

COPIES is the folder in which `typecheck` has compiled the sources as on Apple's systems. The compiler checks no
availability on Linux, but the toolchain contains Apple's:

  - every declaration that a target uses comes from the compiler's syntax tree, and is looked up in the symbol graphs of
    the toolchain's modules (LIBRARIES) and the declarations of Apple's frameworks, and in foundation.txt, a table from
    Apple's documentation for the parts of Foundation and Dispatch that have no availability on Linux; functions of the
    C library have to be in darwin.txt, or in a header of the declarations;
  - every import names a module of which this check knows the availability;
  - the copy for iOS is held to the versions of every system, and the files that another system compiles differently to
    the versions of that system;
  - a use inside `#available` or under `@available` counts against that version, and the `next` that `for await` calls not
    at all: the compiler takes the older one where the newer is missing;
  - a function type with typed throws in an optional, an array or another generic argument needs metadata that the
    runtime has since iOS 18;
  - Synchronization is imported by no file but Lock.swift, also among those that Linux alone compiles.

allowed.txt lists the allowed uses with their reasons. Exit status 1 if another use is found, or if a line of allowed.txt is
unused.
"""

import bisect
import concurrent.futures
import functools
import glob
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIBRARIES = ["Swift", "_Concurrency", "Synchronization", "_StringProcessing", "RegexBuilder", "Observation", "Distributed",
             "Dispatch", "FoundationEssentials", "FoundationInternationalization"]
# The mangled beginnings of the modules that have no availability on Linux, or not everywhere.
UNDATED = ("s:20FoundationNetworking", "s:10Foundation", "s:30FoundationInternationalization", "s:8Dispatch")
DECLARED = sorted((HERE / "declarations").glob("*.swiftinterface"))
HEADERS = HERE / "declarations" / "yyjson"
TARGETS = ["MoyaTransport", "MoyaURLSession", "MoyaSession", "Moya", "MoyaTesting", "TransportConformance", "CombineMoya",
           "RxMoya", "ReactiveMoya", "MoyaHTTPTypes", "MoyaOpenAPI"]
# A type with its module in a demangled name.
TYPE = re.compile(rf"\b(?:{'|'.join(LIBRARIES + [path.stem for path in DECLARED])})\.[A-Z][\w.]*")
# Empty on Apple's systems.
ONLY_LINUX = ["MoyaCurl", "CMoyaCurl"]
# The modules that a target may import on Apple's systems.
IMPORTS = {*LIBRARIES, *(path.stem for path in DECLARED), *TARGETS, *ONLY_LINUX, "Foundation", HEADERS.name}
DOMAINS = {"macos": "macOS", "ios": "iOS", "tvos": "tvOS", "watchos": "watchOS", "visionos": "visionOS"}
TYPES = {"swift.struct", "swift.class", "swift.enum", "swift.protocol", "swift.actor"}
# The system of which every file is checked, and those for which `typecheck` compiles every target.
SYSTEM, COMPLETE = "iOS", {"iOS", "macOS"}
LOCK = "Sources/MoyaTransport/Lock.swift"


def version(text):
    return tuple(int(part) for part in (str(text).split(".") + ["0"])[:2])


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


# The macros of the standard library, which the driver finds for the compiler.
PLUGINS = json.loads(output("swiftc", "-print-target-info"))["paths"]["runtimeResourcePath"] + "/host/plugins"


def mangled(identifier):
    """The mangled name of a symbol: `$sSi` for `s:Si`."""
    return f"${identifier[0]}{identifier[2:]}"


def demangle(names):
    """The demangled form of each mangled name."""
    names = sorted(names)
    if not names:
        return {}
    text = subprocess.run(
        ["swift", "demangle", "--compact"], input="\n".join(names), check=True, capture_output=True, text=True).stdout
    return dict(zip(names, text.splitlines()))


class Availability:
    """The version of each system that a declaration or a type came with."""

    def __init__(self, floor, declared):
        self.floor = floor
        self.declarations, self.types = {}, {}
        self.dated = set()  # mangled names of every declaration with a version of Apple's
        libraries = LIBRARIES + [path.stem for path in DECLARED]
        triple = json.loads(output("swift", "-print-target-info"))["target"]["triple"]
        with tempfile.TemporaryDirectory() as folder:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(lambda library: output(
                    "swift", "symbolgraph-extract", "-module-name", library, "-target", triple,
                    "-skip-synthesized-members", "-minimum-access-level", "public", "-I", declared, "-I", str(HEADERS),
                    "-output-dir", folder), libraries))
            for path in glob.glob(folder + "/*.symbols.json"):
                with open(path, encoding="utf-8") as file:
                    self.add(json.load(file)["symbols"])
        # As the types of expressions are demangled, with the module.
        names = demangle(self.types)
        self.types = {TYPE.search(names[name])[0]: since for name, since in self.types.items()}
        self.foundation = dict(map(self.row, lines_of(HERE / "foundation.txt")))
        self.darwin = set(lines_of(HERE / "darwin.txt"))
        for path in HEADERS.glob("*.h"):
            self.darwin.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))

    @staticmethod
    def row(line):
        ios, macos, name = line.split(None, 2)
        return name, {"iOS": version(ios), "macOS": version(macos)}

    def add(self, symbols):
        for symbol in symbols:
            since = {
                entry["domain"]: (entry["introduced"]["major"], entry["introduced"].get("minor", 0))
                for entry in symbol.get("availability", [])
                if entry.get("domain") in self.floor and "introduced" in entry}
            if since:
                self.dated.add(symbol["identifier"]["precise"])
            if any(since[domain] > self.floor[domain] for domain in since):
                title = ".".join(symbol["pathComponents"])
                self.declarations[symbol["identifier"]["precise"]] = (since, title)
                if symbol["kind"]["identifier"] in TYPES:
                    self.types[mangled(symbol["identifier"]["precise"])] = since


def lines_of(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


@functools.cache
def manifest():
    return json.loads(output("swift", "package", "dump-package", "--package-path", str(ROOT)))


def floor_of_manifest():
    return {DOMAINS[entry["platformName"]]: version(entry["version"])
            for entry in manifest()["platforms"] if entry["platformName"] in DOMAINS}


def traits():
    return [trait["name"] for trait in manifest()["traits"] if trait["name"] != "default"]


def newer(since, context):
    """`True` if something is newer than what is known of one of the systems."""
    return any(since[domain] > context[domain] for domain in since if domain in context)


def contents(folder):
    return {file.relative_to(folder): file.read_bytes() for file in folder.rglob("*.swift")}


def compilations(targets, copies):
    """Each target with all its files as iOS compiles it, and with those files that another system compiles differently."""
    for target in targets:
        first = contents(copies / SYSTEM / "Sources" / target)
        yield target, SYSTEM, sorted(first)
        for system in ["macOS", "tvOS", "watchOS", "visionOS", "macCatalyst"]:
            sources = contents(copies / system / "Sources" / target)
            different = sorted(file for file in sources if sources[file] != first.get(file))
            if different:
                yield target, system, different


def trees(target, system, files, copies):
    """The syntax tree of each of these files of a target."""
    folder = copies / system
    modules = copies / (system if system in COMPLETE else SYSTEM) / "modules"
    sources = []
    for file in sorted((folder / "Sources" / target).rglob("*.swift")):
        sources += (["-primary-file"] if file.relative_to(folder / "Sources" / target) in files else []) + [str(file)]
    done = subprocess.run(
        ["swiftc", "-frontend", "-dump-ast", "-dump-ast-format", "json", "-parse-as-library", "-swift-version", "6",
         "-module-name", target, "-package-name", "moya", *(word for trait in traits() for word in ("-D", trait)),
         "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature", "InternalImportsByDefault",
         "-enable-upcoming-feature", "MemberImportVisibility",
         "-plugin-path", PLUGINS, "-I", str(HEADERS), "-I", str(copies / "modules"), "-I", str(modules), *sources],
        capture_output=True, text=True)
    decoder = json.JSONDecoder()
    trees = [decoder.raw_decode(done.stdout, start.start())[0]
             for start in re.finditer(r'\{"_kind":"source_file","filename"', done.stdout)]
    if done.returncode or len(trees) != len(files):
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        problem = errors[0] if errors else f"{len(trees)} trees for {len(files)} files"
        raise SystemExit(f"{target} for {system} does not compile for its syntax tree: {problem[:500]}")
    return trees


def misplaced_imports():
    """Imports of Synchronization elsewhere than in the lock's file."""
    folders = ("Sources", "Tests", "Simulations")
    for path in sorted(file for folder in folders for file in pathlib.Path(folder).rglob("*.swift")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.match(r"\s*(@\w+ )*(\w+ )?import (\w+ )?Synchronization\b", line) and str(path) != LOCK:
                yield (str(path), number, "import Synchronization")


class Reader:
    """The uses of one file."""

    def __init__(self, tree, folder, context, known):
        self.path = os.path.relpath(tree["filename"], folder)
        source = (folder / self.path).read_bytes()
        self.ends = [index for index, byte in enumerate(source) if byte == 0x0A]
        self.known = known
        self.found = set()  # (line, problem)
        self.foundation = {}  # mangled name: [(line, context)]
        self.throwing = {}  # mangled type: line
        self.named = {}  # mangled type: [(line, context)]
        self.read(tree, context, 0)

    def line(self, node, inherited):
        place = node.get("range")
        return bisect.bisect_left(self.ends, place["start"]) + 1 if place else inherited

    def use(self, name, context, line):
        if name in self.known.declarations:
            since, title = self.known.declarations[name]
            if newer(since, context):
                self.found.add((line, f"{title} is newer than the floor"))
        elif name.startswith(UNDATED) and name not in self.known.dated:
            self.foundation.setdefault(mangled(name), []).append((line, context))
        elif name.startswith("c:"):
            title = re.split("[@:]", name)[-1]
            if title not in self.known.darwin:
                self.found.add((line, f"{title} is not in Scripts/apple/darwin.txt"))

    def read(self, node, context, line):
        if isinstance(node, list):
            # The statements after a `guard #available` are under its condition.
            for item in node:
                self.read(item, context, line)
                if isinstance(item, dict) and item.get("_kind") == "guard_stmt":
                    context = raised(context, conditions(item))
            return
        if not isinstance(node, dict):
            return
        line = self.line(node, line)
        kind = node.get("_kind")
        if kind == "import_decl" and node["module_path"][0] not in IMPORTS:
            self.found.add((line, f"import of {node['module_path'][0]}, whose availability the check does not know"))
        attributes = [entry for entry in node.get("attrs", []) if entry.get("_kind") == "available_attr"]
        context = raised(context, [(entry.get("domain"), entry.get("introduced")) for entry in attributes])
        for key, value in node.items():
            if kind == "for_each_stmt" and key == "next_call":
                continue
            if isinstance(value, str):
                self.word(key, value, node, context, line)
            elif kind == "if_stmt" and key == "then_stmt":
                self.read(value, raised(context, conditions(node)), line)
            else:
                self.read(value, context, line)

    def word(self, key, value, node, context, line):
        if key == "decl_usr" or (key == "protocol" and node.get("source_kind") == "explicit"):
            if value:
                self.use(value, context, line)
        elif value.startswith("$s") and key in ("type", "interface_type", "replacement_type", "result"):
            if "YK" in value:
                self.throwing.setdefault((key, value), line)
            # `T.self` names a type that no declaration has.
            if key == "interface_type" or node.get("_kind") == "type_expr":
                self.named.setdefault(value, []).append((line, context))


def conditions(node):
    found = []
    for condition in node.get("conditions", []):
        if condition.get("_kind") == "#available":
            found += [(query.get("domain"), query.get("version")) for query in condition.get("queries", [])]
    return found


def raised(context, versions):
    changed = {domain: max(context[domain], version(since)) for domain, since in versions if domain in context and since}
    return {**context, **changed} if changed else context


FUNCTION = re.compile(r"throws\(")


def needs_metadata(key, text):
    """`True` if a demangled type has typed throws where the runtime needs the metadata of the function type.

    That is the case for an argument of a generic type or call and for an optional, but not for a parameter of a function or a
    stored property.
    """
    if key == "replacement_type":
        return FUNCTION.search(text) is not None
    depth = 0
    for index, letter in enumerate(text):
        if letter == "<":
            depth += 1
        elif letter == ">" and text[index - 1] != "-":
            depth -= 1
        elif depth and text.startswith("throws(", index):
            return True
    # The demangler prints these as `(() throws(E) -> ())?` and `[() throws(E) -> ()]`.
    return re.search(r"throws\([^()]*\) -> .*\)\?", text) is not None or re.search(r"\[[^\[\]]*throws\(", text) is not None


def short(name):
    """A demangled declaration as Apple's documentation names it: `URLSession.dataTask(with:)`."""
    name = re.sub(r"^(static )?(\(extension in \w+\):)?(static )?", "", name)
    for module in ("FoundationNetworking.", "FoundationEssentials.", "Foundation.", "Dispatch."):
        name = name.replace(module, "")
    # A colon between spaces begins the type of a property, unless it is in a dictionary's.
    name = re.sub(r"\[[^\[\]]*\]", "[]", name)
    path, _, rest = re.sub(r"<[^()]*>(?=\()", "", name.split(" : ")[0]).partition("(")
    if not rest:
        return path
    labels = "".join(f"{label}:" for label in re.findall(r"(?:^|, )(\w+): ", rest))
    # An enumeration's case is printed as a function of its type.
    return path if not labels and ".Type)" in rest else f"{path}({labels})"


def check(compilation, copies, known):
    target, system, files = compilation
    domain = {"macCatalyst": "iOS"}.get(system, system)
    context = dict(known.floor) if system == SYSTEM else {domain: known.floor[domain]}
    readers = [Reader(tree, copies / system, context, known) for tree in trees(target, system, files, copies)]
    found = {(reader.path, line, problem) for reader in readers for line, problem in reader.found}
    names = demangle({name for reader in readers for name in reader.foundation})
    types = demangle({name for reader in readers for (_, name) in reader.throwing} |
                     {name for reader in readers for name in reader.named})
    for reader in readers:
        for name, uses in reader.foundation.items():
            title = short(names[name])
            # Skips declarations in extensions of Foundation's types, which belong to the package or were looked up, and
            # internals of Foundation on Linux.
            if re.search(r"\(extension in (Moya|Apple)", names[name]) or title.startswith("_"):
                continue
            since = known.foundation.get(title)
            for line, context in uses:
                if since is None:
                    found.add((reader.path, line, f"{title} is not in Scripts/apple/foundation.txt"))
                elif newer(since, context):
                    found.add((reader.path, line, f"{title} is newer than the floor"))
        for (key, name), line in reader.throwing.items():
            if needs_metadata(key, types[name]):
                found.add((reader.path, line, f"typed throws in a generic argument or an optional: {types[name]}"))
        for name, uses in reader.named.items():
            for title in {re.sub(r"\.(Type|Protocol)$", "", word) for word in TYPE.findall(types[name])}:
                since = known.types.get(title)
                for line, context in uses if since else []:
                    if newer(since, context):
                        found.add((reader.path, line, f"{title.partition('.')[2]} is newer than the floor"))
    return found


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 64
    os.chdir(ROOT)
    copies, targets = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:] or TARGETS
    known = Availability(floor_of_manifest(), str(copies / "modules"))
    found = set(misplaced_imports())
    for folder in sorted(path.name for path in pathlib.Path("Sources").iterdir() if path.name not in TARGETS + ONLY_LINUX):
        found.add((f"Sources/{folder}", 1, "is not among the targets of Scripts/apple/floor.py"))
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        compiled = list(compilations(targets, copies))
        for some in pool.map(check, compiled, [copies] * len(compiled), [known] * len(compiled)):
            found |= some
    allowed = [line.split(": ", 2) for line in lines_of(HERE / "allowed.txt")]
    used = set()
    remaining = []
    for path, line, problem in sorted(found):
        entry = next((index for index, (file, use, _) in enumerate(allowed)
                      if file in (path, "*") and problem.startswith(use)), None)
        if entry is None:
            remaining.append(f"{path}:{line}: {problem}")
        else:
            used.add(entry)
    stale = [allowed[index] for index in range(len(allowed)) if index not in used] if not sys.argv[2:] else []
    for problem in remaining:
        print(problem, file=sys.stderr)
    for file, use, _ in stale:
        print(f"{file}: {use} is not used any more: take it out of Scripts/apple/allowed.txt", file=sys.stderr)
    floor = ", ".join(f"{domain} {'.'.join(map(str, since))}" for domain, since in known.floor.items())
    print(f"{len(remaining)} uses of what is newer than {floor}; {len(found) - len(remaining)} are allowed")
    return 1 if remaining or stale else 0


if __name__ == "__main__":
    sys.exit(main())
