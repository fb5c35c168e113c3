# SPDX-License-Identifier: Apache-2.0
"""Runs every command block of the documentation: docs_commands.py SOURCE_DIR SCRATCH_DIR RLVERIFY.

A block marked ```sh is run in a scratch copy of the examples, the blocks of one file one after another in one folder. A command must end with exit code 0,
or with the code that its line names: `rlverify compare A B  # exit 1`. A block below `<!-- not run: REASON -->` is listed instead. A block without a mark is a
fault: nobody could say whether it holds commands. The `run:` lines of the GitHub Actions example and the examples of --help are run as well.
"""

import pathlib
import re
import shutil
import subprocess
import sys

source, scratch, program = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
NOT_RUN = re.compile(r"<!-- not run: (.+) -->$")
EXIT = re.compile(r"\s+# exit (\d+)\b.*$")
faults: list[str] = []
commands_run = 0
blocks_run = 0
left_out: list[str] = []


def blocks(path: pathlib.Path):
    """Yields (line number, language, reason for not running, lines) of each fenced block."""
    lines = path.read_text(encoding="utf-8").splitlines()
    number = 0
    while number < len(lines):
        fence = re.match(r"( *)```(\S*)", lines[number])
        if not fence:
            number += 1
            continue
        end = number + 1
        while lines[end].strip() != "```":
            end += 1
        reason = NOT_RUN.match(lines[number - 1].strip()) if number else None
        yield number + 1, fence[2], reason and reason[1], [line[len(fence[1]):] for line in lines[number + 1:end]]
        number = end + 1


def logical_lines(lines):
    """Joins lines that end with a backslash; leaves out comments and empty lines."""
    joined = ""
    for line in lines:
        joined += line
        if joined.endswith("\\"):
            joined = joined[:-1] + " "
            continue
        if joined.strip() and not joined.lstrip().startswith("#"):
            yield joined
        joined = ""


def folder(name: str) -> pathlib.Path:
    """A scratch folder with the examples, as at the top of the source tree."""
    path = scratch / name
    path.mkdir(parents=True)
    shutil.copytree(source / "examples", path / "examples")
    return path


def run(where: str, command: str, place: pathlib.Path):
    global commands_run
    match = EXIT.search(command)
    expected = int(match[1]) if match else 0
    environment = {"PATH": f"{program.parent}:/usr/local/bin:/usr/bin:/bin", "HOME": str(place), "LC_ALL": "C.UTF-8", "GITHUB_STEP_SUMMARY": str(place / "summary.md")}
    result = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=place, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    commands_run += 1
    if result.returncode != expected:
        faults.append(f"{where}: exit code {result.returncode} instead of {expected}: {command}\n{result.stdout[-400:]}{result.stderr[-800:]}")


def has_command(command: str) -> bool:
    """Commands that take the kernels are left out of a build without them."""
    words = command.split()
    if words[0] != "rlverify" or len(words) < 2 or words[1].startswith("-"):
        return True
    return subprocess.run([program, words[1], "--help"], capture_output=True).returncode == 0 or words[1] not in ("replay", "prior-art")


def check_documents():
    global blocks_run
    for path in [source / "README.md", source / "examples/README.md", *sorted((source / "docs").glob("*.md"))]:
        name = str(path.relative_to(source))
        place = None
        for number, language, reason, lines in blocks(path):
            if not language:
                faults.append(f"{name}:{number}: a block without a language: sh for commands, text for others")
            if language in ("bash", "shell", "console"):
                faults.append(f"{name}:{number}: command blocks are marked sh")
            if language != "sh":
                continue
            if reason:
                left_out.append(f"{name}:{number}: {reason}")
                continue
            place = place or folder(name.replace("/", "-"))
            blocks_run += 1
            for command in logical_lines(lines):
                if has_command(command):
                    run(f"{name}:{number}", command, place)


def check_help():
    """The examples of --help; those of other verdicts than 0 are known by what they look at."""
    listing = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  ([a-z-]+)  ", listing.split("Commands:")[1].split("Options:")[0], re.M)
    place = folder("help")
    for name in names:
        text = subprocess.run([program, name, "--help"], capture_output=True, text=True, check=True).stdout
        for line in re.findall(r"^  (rlverify .*)$", text, re.M):
            differs = "failing" in line and not line.startswith(("rlverify inspect", "rlverify replay"))
            code = 4 if line.startswith("rlverify replay") else int(differs)
            run(f"rlverify {name} --help", f"{line}  # exit {code}", place)


def check_workflow():
    path = source / "examples/github-actions.yml"
    place = folder("workflow")
    shutil.copytree(place / "examples/runs/passing", place / "runs/reference")
    shutil.copytree(place / "examples/runs/failing", place / "runs/candidate")
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        command = re.match(r"\s+(?:- )?(?:run: )?(rlverify .*)$", line)
        if command:
            run(f"examples/github-actions.yml:{number}", command[1], place)


check_documents()
check_help()
if (source / "examples/github-actions.yml").exists():
    check_workflow()
for line in left_out:
    print("not run:", line)
print(f"{commands_run} commands, {blocks_run} blocks, {len(left_out)} blocks not run")
if commands_run < 20:
    faults.append("hardly any command was found")
for fault in faults:
    print("FAULT", fault, file=sys.stderr)
sys.exit(bool(faults))
