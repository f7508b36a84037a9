#!/usr/bin/env python3
"""Lists the public symbols of symbol graphs that have no comment: undocumented.py FOLDER; fails if there are any.

`swift format lint` checks only declarations with the keyword `public`; this checks every public symbol.
"""

import json
import pathlib
import sys

def undocumented(graph):
    for symbol in graph["symbols"]:
        # An extension of another module's type is not a symbol of the package, but its members are.
        if symbol["kind"]["identifier"] != "swift.extension" and not symbol.get("docComment"):
            yield symbol


def main():
    found, count = [], 0
    for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.symbols.json")):
        graph = json.loads(path.read_text(encoding="utf-8"))
        count += len(graph["symbols"])
        for symbol in undocumented(graph):
            location = symbol.get("location", {})
            place = location.get("uri", path.name).removeprefix("file://")
            line = location.get("position", {}).get("line", -1) + 1
            found.append(f"{place}:{line}: {graph['module']['name']}.{'.'.join(symbol['pathComponents'])} has no comment")
    for line in found:
        print(line, file=sys.stderr)
    print(f"{count} public symbols, {len(found)} without a comment")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
