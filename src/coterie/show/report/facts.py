"""What a report says, as plain values: nothing here knows about HTML, and all of it can become JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

from coterie._support.typing import JsonObject
from coterie.show.report.numbers import Numbers

Tone: TypeAlias = Literal["good", "fair", "poor", "plain"]


@dataclass(frozen=True)
class CurveFacts:
    """One criterion over the numbers of groups."""

    name: str
    title: str
    values: Numbers
    errors: Numbers | None
    choice: int | None
    reason: str


@dataclass(frozen=True)
class EvidenceFacts:
    """What speaks for each number of groups."""

    finding: str
    ks: tuple[int, ...]
    bars: tuple[tuple[float, str], ...]  # of each k: the height, and what it says
    k: int
    curves: tuple[CurveFacts, ...]
    reasons: tuple[str, ...]
    disagreements: tuple[str, ...]


@dataclass(frozen=True)
class StabilityFacts:
    """Whether the groups come back in resamples."""

    finding: str
    scheme: str
    n_resamples: int
    overall: float
    agreement: float | None
    per_group: Numbers
    spreads: tuple[tuple[float, float] | None, ...]
    verdicts: tuple[str, ...]
    scale: str = ""  # what the verdicts mean


@dataclass(frozen=True)
class ChanceFacts:
    """The test against null data."""

    finding: str
    measure: str
    null: str
    observed: float
    p_value: float
    edges: tuple[float, ...]
    counts: tuple[int, ...]  # empty where all draws are alike: there is nothing to draw
    n_draws: int = 0
    how: str = ""  # which rows were used, where not all were


@dataclass(frozen=True)
class RunnerFacts:
    """A clustering that was compared."""

    method: str
    k: int
    scores: tuple[tuple[str, float], ...]
    reason: str
    is_winner: bool = False


@dataclass(frozen=True)
class TruthFacts:
    """The classes of the rows."""

    classes: tuple[str, ...]
    of_row: tuple[int, ...]  # of the sample; -1: has none
    n_hidden: int


@dataclass(frozen=True)
class TruthTable:
    """Classes by groups, counted over all rows."""

    counts: tuple[tuple[int, ...], ...]
    purity: tuple[float, ...]
    measures: tuple[tuple[str, float, str], ...]  # title, value, what it means
    finding: str


@dataclass(frozen=True)
class Badge:
    """One of the facts beside the answer: a word, a value, and whether it is good news."""

    word: str
    value: str
    tone: Tone
    explanation: str


@dataclass(frozen=True)
class SampleFacts:
    """The rows that the page holds: all of them, or a sample that every view says it is."""

    rows: tuple[int, ...]  # their numbers in the table, counted from 1
    names: tuple[str, ...] | None  # what the table calls them
    columns: tuple[str, ...]  # the columns whose values the page holds
    values: tuple[Numbers, ...]  # one tuple per column
    means: Numbers  # of these columns over all rows
    spreads: Numbers
    n_grouped: int  # rows that were grouped, of which these are some or all
    n_hidden_columns: int  # columns used whose values the page does not hold
    n_shaded: int  # rows that the shade behind a map counts

    @property
    def is_all(self) -> bool:
        """Whether no row was left to the sample."""
        return len(self.rows) == self.n_grouped


@dataclass(frozen=True)
class DensityFacts:
    """How many of all rows lie in each cell of a map."""

    x: Numbers
    y: Numbers
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class MapFacts:
    """The rows in a plane; None for a row that this map does not place."""

    name: str
    caption: str
    x_title: str
    y_title: str
    x: Numbers
    y: Numbers
    density: DensityFacts | None = None
    links: tuple[tuple[int, int], ...] = ()  # rows that a line joins


@dataclass(frozen=True)
class RowFacts:
    """A row that is named: its place in the sample (None: not held), what it is called, and its picture."""

    place: int | None
    name: str
    picture: str | None = None  # address of a small image, where columns are pixels


@dataclass(frozen=True)
class ApartFacts:
    """A column in which a group differs from all rows, by how many standard deviations; both means.

    Of a category these are shares.
    """

    column: str
    difference: float
    mean: float
    overall: float
    is_share: bool = False

    @property
    def points(self) -> float:
        """By how many percentage points a share differs from that of all rows."""
        return 100 * (self.mean - self.overall)


@dataclass(frozen=True)
class RuleFacts:
    """A rule that describes a group, and how well."""

    text: str
    precision: float
    recall: float


@dataclass(frozen=True)
class LinesFacts:
    """Time series of a group as the paths of lines: some members, and the one in their middle."""

    members: tuple[str, ...]
    middle: tuple[str, ...]
    name: str  # of the one in the middle


@dataclass(frozen=True)
class CardFacts:
    """All about one group; `number` is counted from 1."""

    number: int
    color: int
    size: int
    share: float
    words: str
    apart: tuple[ApartFacts, ...]
    typical: tuple[RowFacts, ...]
    borderline: tuple[RowFacts, ...]
    silhouette: float | None
    stability: float | None = None
    verdict: str | None = None
    rule: RuleFacts | None = None
    lines: LinesFacts | None = None


@dataclass(frozen=True)
class ContrastFacts:
    """Columns by groups: by how many standard deviations each group's mean differs from that of all rows."""

    finding: str
    columns: tuple[str, ...]
    differences: tuple[tuple[float, ...], ...]
    n_hidden: int


@dataclass(frozen=True)
class LabelingFacts:
    """One way to group the rows, one stop of the slider."""

    k: int
    is_chosen: bool
    labels: tuple[int, ...]  # of the sample; -1 is noise
    colors: tuple[int, ...]
    sizes: tuple[int, ...]
    n_noise: int
    silhouettes: Numbers | None
    silhouette: float | None
    map_finding: str
    silhouette_finding: str
    cards: tuple[CardFacts, ...]
    contrast: ContrastFacts | None  # None: columns have numbers instead of names
    truth: TruthTable | None
    role: str = "what if"  # or the answer, the best guess, a level


@dataclass(frozen=True)
class TreeFacts:
    """The upper part of a tree: leaves 0..m-1 stand for so many rows, inner nodes follow, the root last.

    `reaches` is the highest merge in a node: a cut by height compares with it. `heights` may fall towards
    the root where the linkage has inversions.
    """

    title: str
    sizes: tuple[int, ...]
    names: tuple[str, ...]
    children: tuple[tuple[int, ...], ...]
    heights: tuple[float, ...]
    reaches: tuple[float, ...]
    leaf_of_row: tuple[int, ...]
    chosen_height: float
    n_leaves: int


@dataclass(frozen=True)
class DataFacts:
    """What was read, used, left out and changed."""

    source: str
    n_rows: int
    n_grouped: int
    columns: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    scaling: str
    missing: tuple[tuple[str, int], ...]  # rows without a value, of columns that were used
    notes: tuple[str, ...]
    n_columns: int  # that were used
    units: tuple[str, str]  # what is grouped: one, and many
    extent: str  # how much each of them has: "3 columns", or as many edges together


@dataclass(frozen=True)
class MadeFacts:
    """How it was computed, and what to type to have it again."""

    facts: tuple[tuple[str, str], ...]
    command: str | None
    python: str


@dataclass(frozen=True)
class ReportFacts:
    """Everything that the page says."""

    title: str
    headline: str
    lead: str
    badges: tuple[Badge, ...]
    palette: tuple[str, ...]
    sample: SampleFacts
    maps: tuple[MapFacts, ...]
    labelings: tuple[LabelingFacts, ...]
    chosen: int
    data: DataFacts
    made: MadeFacts
    tree: TreeFacts | None = None
    evidence: EvidenceFacts | None = None
    stability: StabilityFacts | None = None
    chance: ChanceFacts | None = None
    truth: TruthFacts | None = None
    runners_up: tuple[RunnerFacts, ...] = ()

    def to_dict(self) -> JsonObject:
        """Return the facts as dicts, tuples and plain values.

        Examples
        --------
        >>> RowFacts(3, "row 4").place
        3
        """
        return asdict(self)
