"""Criteria against the number of clusters, and all of them as a heat map."""

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from coterie.errors import InvalidParameter
from coterie.select import Curve, Evidence, Verdict
from coterie.show.palette import contrast
from coterie.show.plots import criterion, elbow, evidence_heatmap, gap, silhouette_curve
from coterie.show.plots.drawing.marks import letters_on

KS = (1, 2, 3, 4, 5, 6)


def curve(name, values, *, title=None, errors=None, greater=True, choice=3, note=""):
    values = np.array(values, dtype=float)
    return Curve(name, title or name, KS, values, errors, greater, choice, "largest", note)


ELBOW = curve("elbow", [100, 40, 10, 8, 7, 6], title="Elbow", greater=None)
SILHOUETTE = curve("silhouette", [np.nan, 0.5, 0.7, -0.1, 0.3, 0.2], title="Silhouette")
GAP = curve("gap", [0.0, 0.5, 1.0, 0.98, 0.9, 0.9], title="Gap (box)", errors=np.full(6, 0.05))
DAVIES = curve(
    "davies_bouldin", [np.nan, 0.5, 0.6, 0.9, 1.0, 1.1], title="Davies-Bouldin", greater=False, choice=2
)
UNDECIDED = curve("dunn", [np.nan] * 6, title="Dunn", choice=None)


def evidence(*curves):
    verdict = Verdict(3, {3: 3, 2: 1}, (), (), 0.75)
    return Evidence("kmeans", KS, curves, dict.fromkeys(KS), (), verdict)


ALL = evidence(ELBOW, SILHOUETTE, GAP, DAVIES, UNDECIDED)


def part(ax, gid):
    (found,) = [artist for artist in ax.get_children() if artist.get_gid() == gid]
    return found


def texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize(
    ("draw", "drawn", "words"),
    [
        (elbow, ELBOW, "knee: k = 3"),
        (silhouette_curve, SILHOUETTE, "highest: k = 3"),
        (gap, GAP, "chosen: k = 3"),
        (lambda value, ax=None: criterion(value, "davies_bouldin", ax), DAVIES, "chosen: k = 2"),
    ],
)
def test_the_curve_and_its_choice(draw, drawn, words):
    """Law: the line goes through the values; ring, dotted line and words stand at the chosen k."""
    ax = draw(ALL)
    line = part(ax, "curve")
    np.testing.assert_array_equal(line.get_xdata(), KS)
    np.testing.assert_array_equal(line.get_ydata(), drawn.values)
    ring = part(ax, "chosen point")
    assert (ring.get_xdata()[0], ring.get_ydata()[0]) == (drawn.choice, drawn.at(drawn.choice))
    assert part(ax, "choice").get_xdata()[0] == drawn.choice
    assert words in texts(ax)
    assert ax.get_xlabel() == "number of clusters k"
    given = Figure().add_subplot()
    assert draw(ALL, given) is given


def test_labels_tell_the_direction():
    """Law: the axis says what is better; the elbow is a bend of the distortion and says neither."""
    assert silhouette_curve(ALL).get_ylabel() == "Silhouette (higher is better)"
    assert criterion(ALL, "davies_bouldin").get_ylabel() == "Davies-Bouldin (lower is better)"
    assert elbow(ALL).get_ylabel() == "distortion"
    assert elbow(ALL).get_ylim()[0] == 0.0


def test_titles_say_what_is_seen():
    """Law: the title is the answer."""
    assert elbow(ALL).get_title(loc="left") == "Beyond 3 clusters the gain is small"
    assert silhouette_curve(ALL).get_title(loc="left") == "The silhouette is highest at 3 clusters"
    assert gap(ALL).get_title(loc="left") == "The gap statistic chooses 3 clusters"


def test_the_gap_has_errors_and_the_bar_it_reaches():
    """Law: standard errors are drawn; the dashed line is the next gap less its error."""
    ax = gap(ALL)
    (bars,) = [c for c in ax.collections if hasattr(c, "get_segments")]
    segments = np.array(bars.get_segments())
    np.testing.assert_allclose(np.ptp(segments[:, :, 1], axis=1), 0.1)
    bar = part(ax, "bar").get_ydata()[0]
    assert bar == pytest.approx(0.98 - 0.05)
    assert bar <= GAP.at(3)


@pytest.mark.parametrize(
    ("draw", "name", "words"),
    [
        (elbow, "elbow", "No knee"),
        (silhouette_curve, "silhouette", "prefers no number"),
        (gap, "gap", "chooses no number"),
        (lambda value: criterion(value, "dunn"), "dunn", "Dunn chooses no number"),
    ],
)
def test_no_choice_is_said_and_not_marked(draw, name, words):
    """Law: a criterion that does not decide has no ring, and the title says so."""
    ax = draw(evidence(curve(name, [5, 4, 3, 2, 1, 0], title=name.title(), choice=None)))
    assert words in ax.get_title(loc="left")
    assert not [line for line in ax.lines if line.get_gid() == "chosen point"]


def test_estimates_are_called_so():
    """Law: how values were found, when not from all rows, stands below."""
    ax = silhouette_curve(evidence(curve("silhouette", SILHOUETTE.values, note="from 1,000 rows")))
    assert "from 1,000 rows" in texts(ax)


def test_a_criterion_that_is_not_there_is_refused():
    """Law: asking for a curve that the evidence does not have names it."""
    with pytest.raises(InvalidParameter, match=r'no such criterion in this evidence "elbow"'):
        elbow(evidence(GAP))


def test_heatmap_scales_each_row_from_worst_to_best():
    """Law: 1 is the best value of a row, in either direction; without a direction there is no colour."""
    cells = np.ma.filled(evidence_heatmap(ALL).images[0].get_array(), np.nan)
    assert cells.shape == (5, 6)
    assert np.isnan(cells[0]).all()
    assert np.nanargmax(cells[1]) == np.nanargmax(SILHOUETTE.values)
    assert np.nanargmax(cells[3]) == np.nanargmin(DAVIES.values)
    for row in cells[1:4]:
        assert (np.nanmin(row), np.nanmax(row)) == (0.0, 1.0)
    assert np.isnan(cells[4]).all()


def test_numbers_on_every_colour_can_be_read():
    """Law: letters on a cell have a contrast of 4.5 or more, whatever its colour."""
    for share in np.linspace(0, 1, 101):
        for behind in (to_hex(colormaps["cividis"](share)), to_hex((share, share, share))):
            assert contrast(to_hex(letters_on(behind)), behind) >= 4.5


def test_heatmap_boxes_choices_and_frames_the_verdict():
    """Law: a box in the column of each choice; a frame about the whole column of the verdict."""
    ax = evidence_heatmap(ALL)
    boxes = [patch for patch in ax.patches if patch.get_gid() == "choice"]
    places = [
        (round(box.get_x() + box.get_width() / 2), round(box.get_y() + box.get_height() / 2)) for box in boxes
    ]
    assert places == [(2, 0), (2, 1), (2, 2), (1, 3)]
    frame = part(ax, "verdict")
    assert isinstance(frame, Rectangle)
    assert (frame.get_x(), frame.get_height()) == (1.5, 5)
    assert ax.get_title(loc="left") == "3 clusters: 3 of 5 criteria agree, 1 makes no choice"
    assert [text.get_text() for text in ax.get_yticklabels()][:2] == ["Elbow", "Silhouette"]
    assert [text.get_text() for text in ax.get_xticklabels()] == list(map(str, KS))


def test_heatmap_writes_short_numbers_where_they_fit():
    """Law: values stand in the cells of few columns, in few characters; many columns have none."""
    large = curve("a", [1234567.0, 45678.0, 1234.5, 0.12345, np.inf, 0.0])
    written = texts(evidence_heatmap(evidence(large)))
    assert written[:5] == ["1.23M", "45.7k", "1234", "0.123", "0"]
    ks = tuple(range(1, 61))
    many = Curve("a", "a", ks, np.linspace(0, 1, 60), None, True, 60, "")
    ax = evidence_heatmap(Evidence("kmeans", ks, (many,), {}, (), Verdict(60, {60: 1}, (), (), 1.0)))
    assert len(ax.texts) == 1
    assert ax.images[0].get_array().shape == (1, 60)
