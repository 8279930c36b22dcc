"""Subjects of reports for tests: small tables with known groups, and a hostile one."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
from sklearn.datasets import load_iris

from coterie.cluster import AgglomerativeClustering, KMeans
from coterie.evaluate import Significance
from coterie.pipeline.other_numbers import cuts_of
from coterie.pipeline.partition import Partition, RowsAtHand, relabel_by_size
from coterie.show.report import ReportSubject

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<img src=x onerror=alert(3)>",
    "a & b &lt; c",
    "{{ 7 * 7 }} {% raw %}",
    "quote ' and \" and ` \u2028 end",
)


def make_subject(X, columns, labels, *, classes=None, labelings=None, **more):
    """Return a subject of standardised rows; `labelings` are other labels by number of groups."""
    X = np.asarray(X, dtype=np.float64)
    points = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    k = int(np.max(labels)) + 1
    fields = {
        "title": "table.csv",
        "n_rows": len(X),
        "headline": f"{k} groups; stable (0.9)",
        "lead": "k-means on standardised columns",
        "command": "coterie fit table.csv --report table.html",
        "python": 'import coterie\n\ncoterie.fit("table.csv").report("table.html")',
        "scaling": "standardised columns",
    }
    rows = RowsAtHand(X, points, np.arange(len(X)), tuple(columns), len(X), classes=classes)
    others = {k: Partition(rows, np.asarray(found)) for k, found in (labelings or {}).items()}
    return ReportSubject(partition=Partition(rows, np.asarray(labels)), others=others, **(fields | more))


def evidence_of(k, ks):
    """Return evidence with a curve that is not defined everywhere and one with errors."""
    values = np.array([np.nan, *np.linspace(0.2, 0.6, len(ks) - 1)])
    curves = [
        SimpleNamespace(
            name="silhouette_score",
            title="silhouette",
            values=values,
            errors=None,
            choice=k,
            reason="largest",
        ),
        SimpleNamespace(
            name="gap",
            title="gap",
            values=np.arange(len(ks)) * 1.0,
            errors=np.full(len(ks), 0.2),
            choice=None,
            reason="none",
        ),
    ]
    verdict = SimpleNamespace(
        k=k, votes={k: 3, ks[1]: 1}, reasons=("three agree",), disagreements=("one does not",)
    )
    return SimpleNamespace(k=k, ks=tuple(ks), curves=curves, verdict=verdict)


def stability_of(k):
    """Return stability whose last group is doubtful."""
    per_cluster = np.linspace(0.95, 0.6, k)
    return SimpleNamespace(
        scheme="bootstrap",
        n_resamples=20,
        per_cluster=per_cluster,
        ranges=[(value, value) for value in per_cluster.tolist()],
        overall=float(per_cluster.mean()),
        agreement=0.9,
        verdicts=("strong",) * (k - 1) + ("doubtful",),
    )


def significance():
    """Return significance: far above the draws of null data."""
    draws = np.random.default_rng(0).normal(0.3, 0.02, 199)
    return Significance("silhouette_score", "gaussian", "one Gaussian", 0.55, draws, True)


def iris_subject(with_tree=False):
    """Return iris with its truth, three groups and everything that a report can show."""
    iris = load_iris()
    subject = make_subject(
        iris.data,
        iris.feature_names,
        np.zeros(150, dtype=int),
        title="iris.csv",
        headline="3 groups; stable (0.78); Gaussian null rejected (p = 0.005)",
        classes=[str(iris.target_names[target]) for target in iris.target],
        evidence=evidence_of(3, range(1, 7)),
        stability=stability_of(3),
        significance=significance(),
        winner=SimpleNamespace(method="kmeans", k=3, scores={"separation": 5.1}, reason="both borders are"),
        runners_up=[SimpleNamespace(method="mixture", k=2, scores={"separation": 4.2}, reason="too few")],
        left_out=[("notes", "text")],
    )
    rows = subject.at_hand
    if with_tree:
        tree = AgglomerativeClustering(3).fit(rows.points).dendrogram_
        labelings = cuts_of(tree)
        more = {"dendrogram": tree}
    else:
        fitted = {k: KMeans(k, n_init=3, random_state=0).fit(rows.points).labels_ for k in range(2, 7)}
        labelings = {k: relabel_by_size(labels)[0] for k, labels in fitted.items()}
        more = {}
    others = {k: Partition(rows, labels) for k, labels in labelings.items()}
    return replace(subject, partition=others[3], others=others, **more)


def hostile_subject():
    """Return a table whose every name tries to become something else than text."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 30)
    X = rng.normal(size=(60, len(HOSTILE))) + 4 * labels[:, None]
    return make_subject(
        X,
        HOSTILE,
        labels,
        title=HOSTILE[0],
        headline=f"2 groups; {HOSTILE[2]}",
        row_names=[HOSTILE[row % len(HOSTILE)] + str(row) for row in range(60)],
        classes=[HOSTILE[label] for label in labels],
        left_out=[(HOSTILE[1], HOSTILE[2])],
        notes=HOSTILE,
        made=[("parameters", HOSTILE[0])],
        command=HOSTILE[1],
        python=HOSTILE[1],
    )
