"""Names from the data in pictures: no formulas, no crowding, whatever they are."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from coterie.cluster import GaussianMixture, KMeans
from coterie.phylogeny import Phylogeny
from coterie.pipeline import profile_groups
from coterie.show import plots
from coterie.tree import Dendrogram, linkage

HOSTILE = ["$x_1$ and $\\frac$", "<script>alert(1)</script>", "a name that goes on and on " * 8]
RNG = np.random.default_rng(0)
ROWS = np.concatenate([RNG.normal(m, 0.5, (8, 3)) for m in (0, 5, 10)])
FRAME = pd.DataFrame(ROWS, columns=HOSTILE)
LABELS = np.repeat([0, 1, 2], 8)
MODEL = KMeans(3, random_state=0).fit(ROWS)
TREE = Dendrogram.from_linkage(linkage(ROWS, "average"), names=(HOSTILE * 8))

DRAWN = {
    "scatter": lambda: plots.scatter(FRAME, LABELS, names=HOSTILE),
    "clusplot": lambda: plots.clusplot(FRAME, LABELS, names=HOSTILE),
    "embedding": lambda: plots.embedding(ROWS, LABELS, kind=HOSTILE[0], names=HOSTILE),
    "regions": lambda: plots.regions(FRAME[HOSTILE[:2]], KMeans(3).fit(ROWS[:, :2]), names=HOSTILE),
    "mixture": lambda: plots.mixture(
        ROWS, GaussianMixture(3, reg_covar=0.1, random_state=0).fit(ROWS), names=HOSTILE
    ),
    "dendrogram": lambda: plots.dendrogram(TREE, cut=3),
    "radial_tree": lambda: plots.radial_tree(TREE),
    "phylogram": lambda: plots.phylogram(TREE),
    "unrooted_tree": lambda: plots.unrooted_tree(Phylogeny([[0, 1], [2, 3]], names=HOSTILE)),
    "linkages": lambda: plots.linkages({HOSTILE[0]: TREE}),
    "clustermap": lambda: plots.clustermap(FRAME, TREE),
    "parallel_coordinates": lambda: plots.parallel_coordinates(FRAME, LABELS, names=HOSTILE),
    "profiles": lambda: plots.profiles(profile_groups(ROWS, LABELS, HOSTILE, 3), names=HOSTILE),
}


@pytest.mark.parametrize("name", DRAWN)
def test_names_are_text(name):
    """Law: any name is drawn as text on one short line: a formula in it would not even parse."""
    drawn = DRAWN[name]()
    figure = drawn if hasattr(drawn, "savefig") else drawn.figure
    figure.draw_without_rendering()
    texts = [text.get_text() for text in figure.findobj(plt.Text)]
    assert any(r"\$x_1\$ and" in text for text in texts)
    assert max(map(len, texts)) < 120
