"""Charts as values: what a chart shows, in words and numbers. The browser draws them from their tables. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.values import Tone


@dataclass(frozen=True)
class Series:
    """One line or one colour of bars; None is a gap: nothing was recorded then."""

    label: str
    tone: Tone
    values: Sequence[int | None]


@dataclass(frozen=True, kw_only=True)
class Chart:
    """`kind` is "bar" or "line", `unit` what a step of time is ("hour", "day"); the series are as long as `times`."""

    key: str
    title: str
    kind: str
    unit: str
    times: Sequence[datetime]
    series: Sequence[Series]
    empty: str

    @property
    def rows(self) -> list[tuple[datetime, list[int | None]]]:
        columns = zip(*(series.values for series in self.series), strict=True)
        return [(time, list(values)) for time, values in zip(self.times, columns, strict=True)]

    @property
    def is_empty(self) -> bool:
        return not any(value for series in self.series for value in series.values)
