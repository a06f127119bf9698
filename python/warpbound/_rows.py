"""Tables."""

from __future__ import annotations


class Rows(list):
    """A table: a list of dictionaries with the same keys."""

    def where(self, **values) -> Rows:
        """The rows whose columns have these values."""
        return Rows(row for row in self if all(row.get(key) == value for key, value in values.items()))

    def column(self, name: str) -> list:
        return [row[name] for row in self]

    def to_pandas(self):
        """The table as a DataFrame of pandas, which has to be installed. What is not known is NaN or <NA>."""
        import pandas

        frame = pandas.DataFrame(list(self))
        for name in ("cycles", "bound", "witness", "lower", "slowest", "deadline"):
            if name in frame:
                frame[name] = frame[name].astype("Int64")
        return frame
