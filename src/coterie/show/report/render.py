"""Facts to one HTML file: templates, style, scripts and data in it, nothing fetched from anywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from coterie._printing import count_of, visible, visible_in_json
from coterie._support.optional import require
from coterie._support.typing import JsonObject
from coterie.show.policy import content_policy
from coterie.show.report import drawings
from coterie.show.report.evidence import glossary
from coterie.show.report.facts import ReportFacts, RunnerFacts
from coterie.show.report.numbers import aligned, percent, plain, signed

# in the order in which they need each other
SCRIPTS = (
    "csv",
    "selection",
    "tree_cut",
    "state",
    "theme",
    "chart_config",
    "map_view",
    "silhouette_view",
    "tree_view",
    "page_view",
    "scroll_cue",
    "pictures",
    "toolbar",
    "main",
)


def render(facts: ReportFacts) -> str:
    """Return the page.

    Every name that comes from data is escaped by the templates, or stands in JSON that the page's scripts put
    on the screen as text; and the page's own policy lets no other script run and nothing be fetched or sent.
    """
    scripts = [_file(f"js/{name}.js") for name in SCRIPTS]
    plotly = plotly_script()
    environment = _environment()
    page: str = environment.get_template("report.html.jinja").render(
        facts=facts,
        data=page_data(facts),
        style=_file("style.css"),
        scripts=scripts,
        plotly=plotly,
        policy=content_policy([plotly, *scripts], allows_eval=True),
    )
    return page


def page_data(facts: ReportFacts) -> str:
    """Return what the scripts need, as JSON that cannot end the script element it stands in."""
    held = {
        "title": facts.title,
        "units": facts.data.units,
        "palette": facts.palette,
        "sample": asdict(facts.sample),
        "maps": [asdict(one) for one in facts.maps],
        "stops": [_stop(labeling) for labeling in facts.labelings],
        "chosen": facts.chosen,
        "tree": None if facts.tree is None else asdict(facts.tree),
        "truth": None if facts.truth is None else asdict(facts.truth),
    }
    text = visible_in_json(json.dumps(held, ensure_ascii=False, allow_nan=False, separators=(",", ":")))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _stop(labeling: object) -> JsonObject:
    names = ("k", "role", "labels", "colors", "sizes", "silhouettes", "map_finding", "silhouette_finding")
    return {name: getattr(labeling, name) for name in names}


def _environment() -> Any:
    jinja2 = require("jinja2", extra="report", purpose="The report")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: _file(f"templates/{name}")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "plain": plain,
        "percent": percent,
        "signed": signed,
        "spark": drawings.spark,
        "zip": zip,
        "columns_of_scores": columns_of_scores,
    }
    environment.globals |= {
        "aligned": aligned,
        "count": count_of,
        "histogram": drawings.histogram,
        "named_every": drawings.named_every,
        "ends": drawings.least_and_most,
        "glossary": glossary,
    }
    return environment


def _shown(value: object) -> object:
    """Return text from data with what would turn its direction as escapes; what is marked as safe stays."""
    return visible(value) if type(value) is str else value


def columns_of_scores(runners: Sequence[RunnerFacts]) -> tuple[tuple[str, ...], ...]:
    """Return the scores of the first runner's names, as texts, one tuple per name."""
    return tuple(aligned([dict(one.scores).get(name) for one in runners]) for name, _ in runners[0].scores)


def _file(name: str) -> str:
    return (files("coterie.show.report") / name).read_text(encoding="utf-8")


def plotly_script() -> str:
    """Return plotly's own script, the largest part of a page."""
    require("plotly", extra="report", purpose="The report")
    return read_once((files("plotly") / "package_data" / "plotly.min.js").read_text(encoding="utf-8"))


def read_once(script: str) -> str:
    """Return plotly's script with its one large function in parentheses, where it looks as it is known to.

    Browsers read a function in parentheses once, and any other twice: to find its end, and to run it. Of five
    megabytes that takes a quarter of plotly's start.

    Examples
    --------
    >>> read_once('(f (this, () => {"use strict";1}));')
    '(f (this, (() => {"use strict";1})));'
    """
    head, tail = re.search(r"this, \(\) => \{\s*\"use strict\";", script), script.rstrip()
    if head is None or not tail.endswith("}));"):
        return script
    start = head.start() + len("this, ")
    return f"{tail[:start]}({tail[start:-3]})));"
