#!/usr/bin/env python3
"""Compares every Swift block of the articles with a compiled source, and the two languages with each other.

A block passes if a compiled file has the same lines, except for indentation, between two markers:

    // snippet: name
    ...
    // end

Regions of one file with the same name form one sample, joined by an empty line. A Chinese article must have the same
levels of headings and the same Swift blocks as the English one, in the same order.
"""

import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CATALOG = ROOT / "Sources" / "Moya" / "Moya.docc"
CHINESE = CATALOG / "Chinese"
MANIFEST = ROOT / "Examples" / "NewPackage" / "Package.swift"
COMPILED_FOLDERS = ("Tests", "Examples", "IntegrationTests")

FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*(\S*)")
START = re.compile(r"^\s*// snippet: (\S.*?)\s*$")
END = re.compile(r"^\s*// end\s*$")


class Article:
    """The headings and the Swift blocks of a Markdown file."""

    def __init__(self, path):
        self.path = path
        self.headings = []  # (level, text)
        self.blocks = []  # (line, text)
        self.read(path.read_text(encoding="utf-8").splitlines())

    def read(self, lines):
        fence = language = None
        block, first = [], 0
        for number, line in enumerate(lines, start=1):
            found = FENCE.match(line)
            if fence is None and found:
                fence, language = found[2], found[3].lower()
                block, first = [], number
            elif fence is not None and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                if language.split(",")[0] == "swift":
                    self.blocks.append((first, normalized(block)))
                fence = None
            elif fence is not None:
                block.append(line)
            elif heading := re.match(r"^(#{1,6})\s+(\S.*)$", line):
                self.headings.append((len(heading[1]), heading[2]))

    @property
    def name(self):
        return self.path.relative_to(ROOT)


def normalized(lines):
    """The lines without common indentation, trailing white space, and leading or trailing empty lines."""
    return textwrap.dedent("\n".join(line.rstrip() for line in lines)).strip("\n")


def samples_of(path, problems):
    """The text of each marked sample of a Swift file, by name."""
    samples, name, region = {}, None, []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if started := START.match(line):
            if name is not None:
                problems.append(f"{path.relative_to(ROOT)}:{number}: a sample starts within '{name}'")
            name, region = started[1], []
        elif END.match(line) and name is not None:
            samples.setdefault(name, []).append(normalized(region))
            name = None
        elif name is not None:
            region.append(line)
    if name is not None:
        problems.append(f"{path.relative_to(ROOT)}: the sample '{name}' has no end")
    return {name: "\n\n".join(regions) for name, regions in samples.items()}


def compiled_samples(problems):
    """The location of each sample, by its text."""
    samples = {}
    for folder in COMPILED_FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.swift")):
            if any(part.startswith(".") for part in path.relative_to(ROOT).parts):
                continue
            for name, text in samples_of(path, problems).items():
                samples.setdefault(text, f"{path.relative_to(ROOT)} ({name})")
    # A manifest begins with the version of the tools, so no marker can precede it.
    samples[normalized(MANIFEST.read_text(encoding="utf-8").splitlines())] = str(MANIFEST.relative_to(ROOT))
    return samples


def articles():
    paths = [*CATALOG.rglob("*.md"), *ROOT.glob("README*.md"), *ROOT.glob("MIGRATING*.md")]
    return [Article(path) for path in sorted(paths)]


def check_blocks(article, samples, used, problems):
    for line, text in article.blocks:
        if text in samples:
            used.add(text)
        else:
            first = text.splitlines()[0] if text else "(an empty block)"
            problems.append(f"{article.name}:{line}: no compiled source contains this block: {first}")


def pairs(problems):
    """The English and the Chinese path of each article that has both; reports the others."""
    english = [path for path in CATALOG.rglob("*.md") if CHINESE not in path.parents]
    chinese = set(CHINESE.rglob("*.md")) if CHINESE.is_dir() else set()
    both = [(path, CHINESE / f"{path.stem}-zh.md") for path in sorted(english)]
    both += [(ROOT / f"{name}.md", ROOT / f"{name}.zh.md") for name in ("README", "MIGRATING")]
    for first, second in both:
        if second.exists():
            yield first, second
        else:
            problems.append(f"{first.relative_to(ROOT)}: the Chinese article {second.relative_to(ROOT)} is missing")
    for path in sorted(chinese - {second for _, second in both}):
        problems.append(f"{path.relative_to(ROOT)}: the English article is missing")


def compare(english, chinese, problems):
    levels = [level for level, _ in english.headings], [level for level, _ in chinese.headings]
    if levels[0] != levels[1]:
        for index in range(max(map(len, levels))):
            ours, theirs = (
                f"{'#' * a.headings[index][0]} {a.headings[index][1]}" if index < len(a.headings) else "nothing"
                for a in (english, chinese))
            if ours.split(" ")[0] != theirs.split(" ")[0]:
                problems.append(
                    f"{chinese.name}: heading {index + 1} is '{theirs}', where {english.name} has '{ours}'")
                break
    blocks = [text for _, text in english.blocks], [text for _, text in chinese.blocks]
    if blocks[0] != blocks[1]:
        different = next(
            (i for i, (a, b) in enumerate(zip(*blocks)) if a != b), min(map(len, blocks)))
        problems.append(
            f"{chinese.name}: Swift block {different + 1} is not that of {english.name} "
            f"({len(blocks[1])} and {len(blocks[0])} blocks)")


def directives(path):
    """The directives of a tutorial and the files that they show, in order."""
    return re.findall(r"@\w+|(?:file|source): *\"[^\"]*\"", path.read_text(encoding="utf-8"))


def compare_tutorials(problems):
    for english in sorted(CATALOG.glob("*.tutorial")):
        chinese = CHINESE / f"{english.stem}-zh.tutorial"
        if not chinese.exists():
            problems.append(f"{english.relative_to(ROOT)}: the Chinese tutorial {chinese.relative_to(ROOT)} is missing")
        elif directives(english) != directives(chinese):
            problems.append(f"{chinese.relative_to(ROOT)}: the steps differ from {english.relative_to(ROOT)}")


def check_plot(problems):
    """Compares the plot of the article Performance with its original; a catalog needs a copy of its images."""
    plot, copy = ROOT / "Benchmarks" / "cost.svg", CATALOG / "Resources" / "cost.svg"
    if plot.read_bytes() != copy.read_bytes():
        problems.append(f"{copy.relative_to(ROOT)} differs from {plot.relative_to(ROOT)}: copy it")


def main():
    problems = []
    check_plot(problems)
    samples, used = compiled_samples(problems), set()
    all_articles = articles()
    for article in all_articles:
        check_blocks(article, samples, used, problems)
    compared = 0
    for english, chinese in pairs(problems):
        compare(Article(english), Article(chinese), problems)
        compared += 1
    compare_tutorials(problems)
    for text, place in samples.items():
        if text not in used:
            problems.append(f"{place}: no article shows this sample")
    for problem in problems:
        print(problem, file=sys.stderr)
    blocks = sum(len(article.blocks) for article in all_articles)
    print(f"{len(all_articles)} articles, {blocks} Swift blocks, {len(samples)} compiled samples, "
          f"{compared} articles in both languages, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
