"""Tests of the scripts of continuous integration: the options of .ci/run, and the workflows."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RUN = ROOT / ".ci" / "run"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def ci(*options: str, script: Path = RUN) -> tuple[int, str]:
    """Returns the exit code of .ci/run and what it printed."""
    done = subprocess.run(["bash", script, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    return done.returncode, done.stdout


def test_the_script_is_executable() -> None:
    assert os.access(RUN, os.X_OK)


def test_help_lists_each_part() -> None:
    status, text = ci("--help")
    parts = re.findall(r"^(?:slow_)?part ([\w-]+) ", RUN.read_text(), re.MULTILINE)
    functions = re.findall(r"^part_([\w-]+)\(\)", RUN.read_text(), re.MULTILINE)
    assert status == 0 and parts == functions and {"models", "tests", "style", "sanitizers"} <= set(parts)
    assert re.findall(r"^  ([\w-]+) ", text.partition("parts:\n")[2], re.MULTILINE) == [
        *re.findall(r"^part ([\w-]+) ", RUN.read_text(), re.MULTILINE),
        *re.findall(r"^slow_part ([\w-]+) ", RUN.read_text(), re.MULTILINE),
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fast"], "expected --all, --only PART... or --help, got --fast"),
        (["--all", "style"], "expected one option, got --all style"),
        (["--only"], "--only: expected the name of a part, got none"),
        (["--only", "style", "stile"], "--only: expected the name of a part, got stile"),
    ],
)
def test_wrong_options(options: list[str], message: str) -> None:
    assert ci(*options) == (2, f".ci/run: {message}; .ci/run --help lists options and parts\n")


def sketch(tmp_path: Path, parts: str, limit: int = 100) -> Path:
    """Returns a copy of .ci/run with other parts, and without a set-up."""
    head, mark, rest = RUN.read_text().partition("# ----" + "-" * 90 + " the parts\n")
    assert mark
    tail = rest.partition("# ----" + "-" * 90 + " the run\n")[2]
    head = re.sub(r"^limit=.*", f"limit={limit}", head, flags=re.MULTILINE)
    script = tmp_path / ".ci" / "run"
    script.parent.mkdir()
    script.write_text(f"{head}set_up() {{ true; }}\nenvironment() {{ true; }}\n{parts}\n{tail}")
    return script


GOOD = """
part first "sleeps"
part_first() { sleep 1; echo "first runs"; }
part second "runs in the background"
part_second() { in_background worker sleep 1; }
slow_part third "is slow"
part_third() { echo "third runs"; }
"""


def test_the_table_of_seconds(tmp_path: Path) -> None:
    script = sketch(tmp_path, GOOD)
    status, text = ci(script=script)
    assert status == 0 and "first runs" in text and "third runs" not in text
    rows = re.findall(r"^ +(\d+) s  (.*)$", text, re.MULTILINE)
    assert [title for _, title in rows] == ["set-up", "first", "second", "worker (in the background)", "in all"]
    seconds = {title: int(number) for number, title in rows}
    assert seconds["first"] >= 1 and seconds["worker (in the background)"] >= 1 and seconds["in all"] >= 2
    assert text.endswith("\nall passed\n")
    status, text = ci("--all", script=script)
    assert status == 0 and "third runs" in text
    status, text = ci("--only", "third", script=script)
    assert status == 0 and "third runs" in text and "first runs" not in text


def test_a_run_beyond_the_limit_fails(tmp_path: Path) -> None:
    script = sketch(tmp_path, GOOD, limit=0)
    status, text = ci(script=script)
    assert status == 1 and "failed: expected at most 0 s" in text
    assert [ci(*options, script=script)[0] for options in (["--all"], ["--only", "first"])] == [0, 0]


@pytest.mark.parametrize("part", ["false; true", "in_background worker false", "in_background worker false; await worker; true"])
def test_a_part_that_fails_ends_the_run(part: str, tmp_path: Path) -> None:
    script = sketch(tmp_path, f'part good "x"\npart_good() {{ true; }}\npart bad "x"\npart_bad() {{ {part}; }}\n')
    status, text = ci(script=script)
    assert status == 1 and re.search(r"(bad|worker \(in the background\)): failed\n", text) and text.endswith("\nfailed\n")
    assert ci("--only", "good", script=script)[0] == 0


def test_folders_beside_the_clone_are_handed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests in the copy get absolute paths, and a clone without the folders says so."""
    monkeypatch.delenv("PYTORCH_LEGACY_PEERS", raising=False)
    call = "hand_on PYTORCH_LEGACY_PEERS ../shared/peers"
    part = f'part first "x"\npart_first() {{ {call}; cd /; echo "peers: ${{PYTORCH_LEGACY_PEERS:-}}."; }}\n'
    clone, folder = tmp_path / "clone", tmp_path / "shared" / "peers"
    clone.mkdir()
    script = sketch(clone, part)
    assert "no ../shared/peers: the tests that need it are skipped\npeers: .\n" in ci(script=script)[1]
    folder.mkdir(parents=True)
    assert f"peers: {folder}.\n" in ci(script=script)[1]
    monkeypatch.setenv("PYTORCH_LEGACY_PEERS", "..")
    assert f"peers: {tmp_path}.\n" in ci(script=script)[1]


def test_actions_are_pinned_by_hash() -> None:
    """A tag of an action can be moved to other code, a hash cannot. A comment names the version."""
    used = [line.strip() for workflow in WORKFLOWS for line in re.findall(r"uses:.*", workflow.read_text())]
    assert len(used) >= 10
    others = [line for line in used if not re.fullmatch(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+(, .*)?", line)]
    assert {line for line in others if not line.startswith("uses: ./.github/workflows/")} == set()
    pins = dict(line.removeprefix("uses: ").split(" ")[0].split("@") for line in used if "@" in line)
    assert all(line.split("@")[1][:40] == pins[line.removeprefix("uses: ").split("@")[0]] for line in used if "@" in line)


def test_only_a_person_starts_a_release() -> None:
    """The release waits for an approval, and no other job can ask for an identity."""
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    assert re.search(r"^on: \[workflow_dispatch\]$", text, re.MULTILINE)
    jobs = dict(re.findall(r"^  (\w+):\n((?:    .*\n)+)", text.partition("jobs:\n")[2], re.MULTILINE))
    assert "environment: pypi" in jobs["publish"] and "needs: [checks, build]" in jobs["publish"]
    identities = [workflow.name for workflow in WORKFLOWS for _ in re.findall("id-token: write", workflow.read_text())]
    assert identities == ["release.yml"] and "id-token: write" in jobs["publish"]
    assert all(re.search(r"^permissions:\n  contents: read$", workflow.read_text(), re.MULTILINE) for workflow in WORKFLOWS)
    assert "secrets." not in text


def test_the_part_bridges_names_every_test_that_needs_torch() -> None:
    """No other part installs torch."""
    tests = ROOT / "tests"
    need = {
        path for path in tests.rglob("*.py") if re.search(r"importorskip\(\s*['\"]torch['\"]", path.read_text(encoding="utf-8"))
    }
    part = re.search(r"^part_bridges\(\) \{.*?^\}", RUN.read_text(), re.DOTALL | re.MULTILINE)
    assert part and len(need) > 20
    folders = [tests / "bridge", tests / "torch"]
    left = [path for path in need if not any(folder in path.parents for folder in folders)]
    assert [path.name for path in left if path.relative_to(ROOT).as_posix() not in part[0]] == []
