#!/usr/bin/env python3
"""Checks that every public setting has a test: settings.py GRAPHS TESTS EXEMPTIONS; fails if one has none.

A setting is a parameter, a variable, a requirement or an enumeration case of symbol graphs that takes a time, a date, a
count or a size: the app's type states the value of a requirement.
Its name is `Type.member#parameter`, followed by ` (2)` if two overloads have the parameter, so that a third one is
noticed. Every setting needs a `Setting("...")` in the Swift files of TESTS, or a line `setting: reason` in the file
EXEMPTIONS. Other names in tests are settings of Foundation.
"""

import collections
import json
import pathlib
import re
import sys

NUMBER = re.compile(
    r"\b(Duration|TimeInterval|Double|Float|CGFloat|Date|DispatchTime|DispatchTimeInterval|Instant"
    r"|Int|Int16|Int32|Int64|UInt|UInt16|UInt32|UInt64)\b"
)


def spelling(fragments):
    return "".join(fragment["spelling"] for fragment in fragments)


def takes_number(kind):
    # The result of a closure is a setting; a clock has no value.
    kind = kind.rsplit("->", 1)[-1].replace("Clock<Duration>", "")
    return NUMBER.search(kind) is not None


def settings(symbol, is_requirement):
    path = [part.split("(")[0] for part in symbol["pathComponents"]]
    name, kind = ".".join(path), symbol["kind"]["identifier"]
    declaration = spelling(symbol["declarationFragments"])
    if kind in ("swift.property", "swift.type.property"):
        is_set = is_requirement or "{ get }" not in declaration
        if " var " in f" {declaration}" and is_set and takes_number(declaration.split(":", 1)[-1]):
            yield name
    elif kind == "swift.enum.case":
        if takes_number(declaration.split("(", 1)[-1] if "(" in declaration else ""):
            yield name
    else:
        for parameter in symbol.get("functionSignature", {}).get("parameters", []):
            if takes_number(spelling(parameter["declarationFragments"]).split(":", 1)[-1]):
                yield f"{name}#{parameter.get('internalName', parameter['name'])}"


def main():
    graphs, tests, exemptions = map(pathlib.Path, sys.argv[1:4])
    found = collections.defaultdict(set)
    for path in graphs.rglob("*.symbols.json"):
        graph = json.loads(path.read_text(encoding="utf-8"))
        kinds = {"requirementOf", "optionalRequirementOf"}
        requirements = {relation["source"] for relation in graph["relationships"] if relation["kind"] in kinds}
        for symbol in graph["symbols"]:
            identifier = symbol["identifier"]["precise"]
            for setting in settings(symbol, identifier in requirements):
                found[setting].add(identifier)
    public = {name if len(symbols) == 1 else f"{name} ({len(symbols)})" for name, symbols in found.items()}
    tested = set()
    for path in tests.rglob("*.swift"):
        tested.update(re.findall(r'\bSetting\(\s*"([^"]+)"', path.read_text(encoding="utf-8")))
    lines = exemptions.read_text(encoding="utf-8").splitlines()
    exempt = {line.split(": ", 1)[0] for line in lines if line and not line.startswith("#")}
    missing, stale = public - tested - exempt, exempt - public
    for name in sorted(missing):
        print(f"{name} has no test: add a Setting(\"{name}\") in {tests}, or a line in {exemptions}", file=sys.stderr)
    for name in sorted(stale):
        print(f"{name} is no longer a setting: remove it from {exemptions}", file=sys.stderr)
    print(f"{len(public)} settings, {len(public & tested)} tested with extreme values, {len(public & exempt)} exempt")
    return 1 if missing or stale else 0


if __name__ == "__main__":
    sys.exit(main())
