"""Tables."""

from __future__ import annotations

from html import escape


def html_table(rows: list[dict], most: int = 200) -> str:
    """The rows for a notebook, the first of very many."""
    columns = list(dict.fromkeys(key for row in rows[:most] for key in row))
    cell = lambda value: "" if value is None else escape(str(value))  # noqa: E731
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(f'<td>{cell(row.get(column))}</td>' for column in columns)}</tr>" for row in rows[:most])
    more = f"<p>{most} of {len(rows)} rows</p>" if len(rows) > most else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


class Rows(list):
    """A table: a list of dictionaries with the same keys."""

    def where(self, **values) -> Rows:
        """The rows whose columns have these values."""
        return Rows(row for row in self if all(row.get(key) == value for key, value in values.items()))

    def column(self, name: str) -> list:
        return [row[name] for row in self]

    def _repr_html_(self) -> str:
        return html_table(self)

    def to_pandas(self):
        """The table as a DataFrame of pandas, which has to be installed. What is not known is NaN or <NA>."""
        import pandas

        frame = pandas.DataFrame(list(self))
        for name in ("cycles", "bound", "witness", "lower", "slowest", "deadline"):
            if name in frame:
                frame[name] = frame[name].astype("Int64")
        return frame
