"""What ``coterie fit`` does: one method with one number of groups, or the comparison of all."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coterie._support.progress import track
from coterie.cli import outputs
from coterie.cli.render import summary
from coterie.cli.render.facts import facts
from coterie.cli.render.machines import print_json
from coterie.cli.render.terminal import is_watched
from coterie.cluster import find_method
from coterie.data import Table, check_policy, read_table
from coterie.errors import InvalidParameter
from coterie.persist import save as save_model
from coterie.pipeline import Clustering, Groups, Recipe, check_recipe, fit_groups, takes_option, usual_scale
from coterie.pipeline import fit as fit_auto
from coterie.pipeline.request import AUTO, check_asked, check_k

BUDGET = "normal"
STARTS = 10  # k-means++ from one start is often a few percent worse than the best of ten


@dataclass(frozen=True)
class Request:
    """What was typed."""

    data: str
    k: str = AUTO
    method: str = AUTO
    distance: str | None = None
    scale: str | None = None
    budget: str = BUDGET
    truth: str | None = None
    drop: list[str] = field(default_factory=list)
    keep: list[str] = field(default_factory=list)
    missing: str = "error"
    seed: int = 0
    n_init: int | None = None
    improve: str | None = None
    settings: list[str] = field(default_factory=list)

    @property
    def is_settled(self) -> bool:
        """Whether method and number of groups are said, so that there is nothing to choose."""
        if self.truth is not None or self.budget != BUDGET:
            return False  # a comparison with the truth, or within a budget, is asked for
        numbers = check_k(self.k)
        if numbers is not None:
            return len(numbers) == 1 and "," not in self.method
        return self.method != AUTO and "," not in self.method and not _takes_k(self.method)

    @property
    def recipe(self) -> Recipe:
        """The one way to find groups, when it is settled."""
        method = "kmeans" if self.method == AUTO else self.method
        numbers = check_k(self.k)
        n_init = self.n_init
        if n_init is None and self.improve is None and takes_option(method, "n_init"):
            n_init = STARTS
        k = numbers[0] if numbers else None
        settings = dict(map(read_setting, self.settings)) or None
        scale = usual_scale(self.distance) if self.scale is None else self.scale
        return Recipe(method, k, scale, self.distance, n_init, self.improve, self.seed, settings)

    def check(self) -> None:
        """Refuse names and options that do not exist, before any data are read."""
        check_policy(self.missing)
        if self.is_settled:
            check_recipe(self.recipe)
            return
        check_asked(self.method, self.k, _or_auto(self.distance), _or_auto(self.scale), self.budget)
        for name, value in (
            ("n-init", self.n_init),
            ("improve", self.improve),
            ("set", self.settings or None),
        ):
            if value is not None:
                raise InvalidParameter(f"{name} needs a method and a number of groups.").in_shell(
                    f"--{name} is for one method with one number of groups{self._way_to_one()}"
                )
        if self.seed < 0:
            raise InvalidParameter(f"--seed must be at least 0, got {self.seed}.")

    def _way_to_one(self) -> str:
        """Return what to change so that there is nothing to choose."""
        if self.budget != BUDGET:
            return ", where there is nothing to choose within a budget: leave out --budget."
        if self.truth is not None and check_k(self.k) is not None and self.method != AUTO:
            return (
                f", and --truth compares several: leave it out (--drop {self.truth}), write the groups with "
                f"-o groups.csv, then: coterie evaluate groups.csv --truth {self.truth} --data {self.data}"
            )
        return ": add --method NAME or -k N."

    def run(self, *, header: bool | None, encoding: str | None) -> Found:
        """Read the table and find the groups."""
        progress = is_watched()
        with track(progress, f"reading {self.data}"):
            table = read_table(self.data, header=header, encoding=encoding)
        if self.is_settled:
            groups = fit_groups(
                table, self.recipe, drop=self.drop, keep=self.keep, missing=self.missing, progress=progress
            )
            return Found(table, groups, None)
        clustering = fit_auto(
            table,
            self.method if len(check_k(self.k) or ()) != 1 or self.method != AUTO else "kmeans",
            self.k,
            distance=_or_auto(self.distance),
            scale=_or_auto(self.scale),
            truth=self.truth,
            budget=self.budget,
            drop=self.drop,
            keep=self.keep,
            missing=self.missing,
            random_state=self.seed,
            progress=progress,
        )
        return Found(table, clustering.groups, clustering)


def _or_auto(name: str | None) -> str:
    return AUTO if name is None else name


@dataclass(frozen=True)
class Found:
    """What was found, and the table it was found in."""

    table: Table
    groups: Groups
    clustering: Clustering | None

    def write(self, labels: Path | None, model: Path | None, *, force: bool) -> None:
        """Write the files that were asked for."""
        if labels is not None:
            outputs.write_labels(self.table, self.groups.labels, labels, force=force)
        if model is not None:
            save_model(self.clustering or self.groups, model, force=force)

    def show(self, *, as_json: bool, labels: Path | None, model: Path | None) -> None:
        """Print the answer, for a person or for a machine."""
        if self.clustering is None:
            summary.show(self.groups, as_json=as_json, labels=labels, model=model)
        elif as_json:
            print_json(all_facts(self.clustering, labels, model))
        else:
            summary.show_clustering(self.clustering, labels=labels, model=model)


def all_facts(clustering: Clustering, labels: Path | None, model: Path | None) -> dict[str, Any]:
    """Return the facts about the groups, and those about how sure they are."""
    about = clustering.to_dict()
    for name in ("columns", "left_out", "sizes", "seconds"):
        about.pop(name)
    found = facts(clustering.groups, labels=labels, model=model)
    return {**found, **about, "seconds": round(clustering.seconds, 6)}


def read_setting(text: str) -> tuple[str, Any]:
    """Return the name and the value of ``NAME=VALUE``: a number, true, false, null, or else a word.

    Examples
    --------
    >>> read_setting("eps=0.5"), read_setting("kernel=poly")
    (('eps', 0.5), ('kernel', 'poly'))
    """
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise InvalidParameter(f'--set must be NAME=VALUE, for example --set eps=0.5, got "{text}".')
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def _takes_k(method: str) -> bool:
    parameters = find_method(method).load()().get_params()
    return "n_clusters" in parameters or "n_components" in parameters
