"""Checks the steps of workflows against the tree: their scripts, contexts, programs and targets of make.

    Scripts/workflows/steps.py WORKFLOW...

Complements the schema, which knows none of them. Needs ruamel.yaml, which comes with check-jsonschema, and shellcheck.
"""

import os
import re
import subprocess
import sys

from ruamel.yaml import YAML


def expressions(text):
    return re.findall(r"\$\{\{(.*?)\}\}", text)


def unknown_contexts(job, jobs, text):
    """The contexts of a step that its job does not define."""
    matrix = job.get("strategy", {}).get("matrix", {})
    for expression in expressions(text):
        for key in re.findall(r"\bmatrix\.([\w-]+)", expression):
            if key not in matrix:
                yield f"matrix.{key} is in no matrix of the job"
        for needed, output in re.findall(r"\bneeds\.([\w-]+)\.outputs\.([\w-]+)", expression):
            needs = job.get("needs", [])
            if needed not in ([needs] if isinstance(needs, str) else needs):
                yield f"the job does not need {needed}"
            elif output not in jobs.get(needed, {}).get("outputs", {}):
                yield f"{needed} has no output {output}"


def missing_programs(script, targets):
    """The programs of the repository and the targets of make that a script uses and the tree lacks."""
    for program in re.findall(r"(?:^|[\s(;&|])((?:\.ci|Scripts)/[\w./-]+)", script):
        if not os.access(program, os.X_OK):
            yield f"{program} is not a program of the repository"
    for words in re.findall(r"(?:^|[;&|])\s*(?:\w+=\S*\s+)*make ([a-z][^\n;&|]*)", script, re.MULTILINE):
        for target in re.findall(r"(?:^|\s)([a-z][\w-]*)(?!\S)", words):
            if target not in targets:
                yield f"make has no target {target}"


def shell_of(workflow, job, step):
    """The shell of a step; without a statement bash, and sh in a container."""
    stated = [step.get("shell"), *(level.get("defaults", {}).get("run", {}).get("shell") for level in (job, workflow))]
    return next(filter(None, stated), "sh" if "container" in job else "bash").split()[0]


def shell_findings(script, shell):
    if shell not in ("bash", "sh"):
        return []
    plain = re.sub(r"\$\{\{.*?\}\}", "expression", script)
    checked = subprocess.run(["shellcheck", f"--shell={shell}", "--format=gcc", "-"], input=plain, text=True,
                             capture_output=True)
    return (checked.stdout + checked.stderr).splitlines() if checked.returncode else []


def findings(workflow, targets):
    jobs = workflow.get("jobs", {})
    for name, job in jobs.items():
        for finding in unknown_contexts(job, jobs, str({key: job[key] for key in job if key != "steps"})):
            yield name, "job", finding
        for number, step in enumerate(job.get("steps", []), start=1):
            label = step.get("name", f"step {number}")
            script = step.get("run", "")
            for finding in [*unknown_contexts(job, jobs, str(step)), *missing_programs(script, targets),
                            *shell_findings(script, shell_of(workflow, job, step))]:
                yield name, label, finding


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with open("Makefile") as makefile:
        targets = set(re.findall(r"^([a-z][\w-]*):", makefile.read(), re.MULTILINE))
    failed = False
    for path in sys.argv[1:]:
        with open(path) as file:
            workflow = YAML(typ="safe").load(file)
        for job, label, finding in findings(workflow, targets):
            print(f"{path}: {job}: {label}: {finding}", file=sys.stderr)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
