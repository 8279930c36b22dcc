"""What is published: the sdist, the workflows that build it, the papers that go with it."""

import re
import shutil
import subprocess
import tarfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="not in a checkout: a wheel is tested")


def tracked(*folders: str) -> set[str]:
    said = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *folders],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if said.returncode:
        pytest.skip("not a git checkout: what should be in the sdist is not known")
    return {name for name in said.stdout.split("\n") if name and (ROOT / name).exists()}


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """Return the names in an sdist, without its top folder."""
    build = pytest.importorskip("scikit_build_core.build", reason="scikit-build-core is in the dev extra")
    folder = tmp_path_factory.mktemp("sdist")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        name = build.build_sdist(str(folder))
    with tarfile.open(folder / name) as archive:
        return {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}


def test_the_sdist_has_what_a_build_needs_and_nothing_else(sdist):
    """Law: all tracked sources and a few papers; no tests, environments, caches, binaries, pictures."""
    papers = {"LICENSE", "LICENSES-bundled.md", "README.md", "CHANGELOG.md", "CITATION.cff"}
    settings = {"CMakeLists.txt", "pyproject.toml", "PKG-INFO", "package.json", "package-lock.json"}
    sources = {name for name in tracked("native", "src", "licenses") if Path(name).name != ".clang-format"}
    assert sdist == sources | papers | settings


def test_the_licences_of_what_wheels_carry_go_with_them():
    """Law: of every library that a wheel carries, the text of its licence is in the wheel and the sdist."""
    patterns = PROJECT["project"]["license-files"]
    files = {path.relative_to(ROOT).as_posix() for pattern in patterns for path in ROOT.glob(pattern)}
    linked = re.findall(r"\((licenses/[^)]+)\)", (ROOT / "LICENSES-bundled.md").read_text())
    assert len(linked) == 4
    assert files == {"LICENSE", "LICENSES-bundled.md", *linked}
    assert all((ROOT / name).stat().st_size > 500 for name in files)


def test_the_sdist_has_the_data_files(sdist):
    """Law: files that are not Python but are read at run time are in it."""
    data = {name for name in tracked("src") if not name.endswith((".py", ".pyi"))}
    assert {Path(name).suffix for name in data} >= {".csv", ".css", ".js", ".jinja", ".html", ".typed"}
    assert data <= sdist


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_have_a_version_and_jobs_few_rights(path):
    """Law: each action is pinned to a version, and a workflow may only read unless a job says otherwise."""
    yaml = pytest.importorskip("yaml", reason="PyYAML comes with Dask")
    workflow = yaml.safe_load(path.read_text())
    assert workflow["permissions"] == {"contents": "read"}
    used = re.findall(r"uses: (\S+)", path.read_text())
    assert used
    assert [action for action in used if "@" not in action and not action.startswith("./")] == []
    local = [action for action in used if action.startswith("./")]
    assert all((ROOT / action).exists() for action in local)


def test_workflows_try_every_version_that_is_promised():
    """Law: the versions that the package names are those of the test matrix and of the wheels."""
    yaml = pytest.importorskip("yaml", reason="PyYAML comes with Dask")
    named = {
        line.rpartition(" ")[2] for line in PROJECT["project"]["classifiers"] if ":: Python :: 3." in line
    }
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text())
    assert set(workflow["jobs"]["versions"]["strategy"]["matrix"]["python"]) == named
    built = PROJECT["tool"]["cibuildwheel"]["build"]
    assert {f"3.{pattern[3:5]}" for pattern in built} == named
    assert PROJECT["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"


@pytest.mark.skipif(shutil.which("check-jsonschema") is None, reason="check-jsonschema is in the dev extra")
def test_workflows_follow_the_schema():
    """Law: GitHub would take the workflows."""
    command = ["check-jsonschema", "--builtin-schema", "vendor.github-workflows", *map(str, WORKFLOWS)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout


def test_versions_agree():
    """Law: the package, the citation and the recipe name the same version and licence."""
    version = PROJECT["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert f'version: "{version}"' in (ROOT / "recipe" / "recipe.yaml").read_text()
    for name in ("CITATION.cff", "recipe/recipe.yaml"):
        assert "license: BSD-3-Clause" in (ROOT / name).read_text()


def test_the_recipe_asks_for_what_the_package_asks_for():
    """Law: the conda recipe has the requirements of pyproject.toml and of its command line."""
    recipe = (ROOT / "recipe" / "recipe.yaml").read_text()
    run = recipe[recipe.index("  run:") : recipe.index("tests:")]
    listed = set(re.findall(r"^    - (.*)$", run, re.MULTILINE))
    wanted = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["cli"]]
    assert listed == {"python >=3.11", *(line.replace(">=", " >=") for line in wanted)}


@pytest.mark.parametrize("platform", ["linux-64", "linux-aarch64", "osx-64", "osx-arm64", "win-64"])
def test_the_recipe_is_one_of_rattler_build(platform):
    """Law: rattler-build reads the recipe and renders one package for every platform."""
    reason = "wheels.yml installs py-rattler-build (83 MB)"
    rattler_build = pytest.importorskip("rattler_build", reason=reason)
    recipe = rattler_build.Stage0Recipe.from_yaml((ROOT / "recipe" / "recipe.yaml").read_text())
    variants = rattler_build.VariantConfig.from_file(str(ROOT / "recipe" / "variants.yaml"))
    systems = dict.fromkeys(("target_platform", "build_platform", "host_platform"), platform)
    config = rattler_build.RenderConfig(platform=rattler_build.PlatformConfig(**systems))
    assert len(recipe.render(variants, config)) == 1


def test_the_paper_cites_what_its_bibliography_has():
    """Law: every key that the paper cites is there once, and each entry is cited."""
    keys = re.findall(r"^@\w+\{([\w-]+),", (ROOT / "paper.bib").read_text(), re.MULTILINE)
    text = (ROOT / "paper.md").read_text().split("---", 2)[2]
    assert sorted(keys) == sorted(set(re.findall(r"\[@([\w-]+)\]", text)))


WHAT_WINDOWS_LACKS = (
    r"\b(pass_fds|preexec_fn|start_new_session|import fcntl|os\.fork|os\.pipe|os\.kill|O_ASYNC)\b"
)


def test_one_file_starts_processes_in_the_ways_of_a_system():
    """Law: what Windows lacks is called in _support/children.py, which does without it there."""
    sources = [name for name in tracked("src") if name.endswith(".py")]
    found = {name for name in sources if re.search(WHAT_WINDOWS_LACKS, (ROOT / name).read_text())}
    assert found == {"src/coterie/_support/children.py"}
