"""The report of a validation as a page for a browser, made from the one in Markdown: one file,
without scripts."""

import html
import re

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em;
       color: #222; background: #fff }
h1 { font-size: 1.6em } h2 { font-size: 1.25em; margin-top: 2em; border-bottom: 1px solid #ccc }
nav a { margin-right: 1.2em; white-space: nowrap }
table { border-collapse: collapse; margin: 1em 0; font-size: 0.92em }
th, td { border: 1px solid #ccc; padding: 0.25em 0.6em;
         text-align: left; vertical-align: top; overflow-wrap: break-word }
th { background: #f2f2f2; position: sticky; top: 0 }
code, pre { font-family: ui-monospace, monospace; font-size: 0.92em }
pre { background: #f7f7f7; border: 1px solid #ccc; padding: 0.6em; overflow-x: auto }
td.good, td.bad, td.open, td:first-child { white-space: nowrap }
td.good { background: #e2f3e2 } td.bad { background: #f8d7d7; font-weight: bold }
td.open { background: #fdf1d0 }
@media print { th { position: static } nav { display: none } }
"""
STATES = {"verified": "good", "passed": "good", "failed": "bad", "not run": "open",
          "declined": "open"}


def inline(text):
    """A line: code, bold, links within the page."""
    text = html.escape(text.replace("\\|", "|"), quote=False)
    text = re.sub(r"`([^`]*)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"\[([^]]+)\]\((#[\w-]+)\)", r'<a href="\2">\1</a>', text)


def anchor(title):
    """As forges make it of a title."""
    return re.sub(r"[^\w-]", "", title.lower().replace(" ", "-"))


def row(line, kind):
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    styled = [(cell, f' class="{STATES[cell]}"' if kind == "td" and cell in STATES else "")
              for cell in cells]
    return "<tr>" + "".join(f"<{kind}{style}>{inline(cell)}</{kind}>"
                            for cell, style in styled) + "</tr>"


def table(lines):
    return ["<table>", f"<thead>{row(lines[0], 'th')}</thead>", "<tbody>",
            *(row(line, "td") for line in lines[2:]), "</tbody>", "</table>"]


def part(lines):
    """What stands between two empty lines."""
    first = lines[0]
    if first.startswith("#"):
        level, title = first.split(" ", 1)
        return [f'<h{len(level)} id="{anchor(title)}">{inline(title)}</h{len(level)}>']
    if first.startswith("|"):
        return table(lines)
    if first.startswith("    "):
        return ["<pre>" + html.escape("\n".join(line[4:] for line in lines), quote=False)
                + "</pre>"]
    return [f"<p>{inline(' '.join(lines))}</p>"]


def of_markdown(text):
    """The page. Understood is what report.py writes: titles, paragraphs, tables, and code by four
    spaces."""
    parts, body = re.split(r"\n{2,}(?=\S)|\n{2,}(?=    )", text.strip("\n")), []
    titles = re.findall(r"^## (.+)$", text, re.MULTILINE)
    for one in parts:
        body += part(one.split("\n"))
        if one.startswith("# "):
            body.append("<nav>"
                        + "".join(f'<a href="#{anchor(title)}">{inline(title)}</a>'
                                  for title in titles) + "</nav>")
    title = html.escape(text.split("\n", 1)[0].lstrip("# "))
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta '
            'name="viewport" content="width=device-width">\n'
            f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n" + "\n".join(body)
            + "\n</body>\n</html>\n")
