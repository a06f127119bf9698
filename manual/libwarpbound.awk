# awk -v version=X -f libwarpbound.awk warpbound.h warpbound_WING.h ...: the manual page libwarpbound(3), which says what the header's comments say.
# A comment in front of declarations becomes a paragraph, the declarations an example behind it.

function escape(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/'/, "\\(aq", text)
    gsub(/`/, "\\(ga", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    gsub(/"/, "\\(dq", text)
    return text
}

# Long words can be broken behind these.
function breakable(text) {
    gsub(/[|,\/=+]/, "&\\:", text)
    return text
}

function heading(title) {
    print ".SH " title
    behind_heading = 1
}

# Paragraphs that follow a heading need no macro.
function paragraph() {
    if (!behind_heading) print ".PP"
    behind_heading = 0
}

# What stands in backticks is bold, be it on several lines.
function words(text,    count, parts, i, out) {
    count = split(text, parts, "`")
    for (i = 1; i <= count; i++) {
        out = out breakable(escape(parts[i]))
        if (i < count) out = out ((bold = !bold) ? "\\fB" : "\\fR")
    }
    return out
}

# Prints a text in lines of at most 72 characters, where it has spaces.
function put_wrapped(text,    at) {
    while (length(text) > 72) {
        for (at = 72; at > 1 && substr(text, at, 1) != " "; at--)
            ;
        if (at == 1) break
        print guarded(substr(text, 1, at - 1))
        text = substr(text, at + 1)
    }
    print guarded(text)
}

function guarded(line) { return line ~ /^[.]/ ? "\\&" line : line }

# A line of a comment: text, or, indented, an example; an empty one ends a paragraph.
function put_comment_line(line) {
    if (line ~ /^    /) {
        if (!example) print ".EX"
        example = 1
        gsub(/──▶|─▶/, "->", line)
        gsub(/─/, "-", line)
        gsub(/┐|┘|┼/, "+", line)
        print guarded(escape(line))
        return
    }
    if (example) print ".EE"
    example = 0
    if (line == "")
        paragraph()
    else
        put_wrapped(words(line))
}

function put_comment(    i) {
    paragraph()
    for (i = 1; i <= comments; i++)
        put_comment_line(comment[i])
    if (example) print ".EE"
    example = comments = bold = 0
}

function put_code(    i) {
    if (codes == 0) return
    paragraph()
    print ".RS 4\n.EX"
    for (i = 1; i <= codes; i++)
        print guarded(escape(code[i]))
    print ".EE\n.RE"
    codes = 0
}

function end_block() {
    if (comments > 0) put_comment()
    put_code()
}

# The text of a line of a comment, without what makes it one.
function comment_text(line) {
    sub(/^ *\/\*/, "", line)
    sub(/ *\*\/ *$/, "", line)
    sub(/^ \*/, "", line)
    sub(/^ /, "", line)
    return line
}

BEGIN {
    print ".TH LIBWARPBOUND 3 \"\" \"warpbound " version "\" \"Warpbound\""
    print ".SH NAME\nlibwarpbound \\- library of bounds on the execution time of GPU kernels"
    print ".SH SYNOPSIS\n.B #include <warpbound.h>\n.PP\n.EX"
    print escape("cc program.c $(pkg-config --cflags --libs warpbound)")
    print ".EE\n.ad l"
    heading("DESCRIPTION")
    first = 1
}

# The comment at the top is the description; its first line says what NAME says.
first && /^ \*\// { put_comment(); first = 0; next }
first { if (NR > 3) comment[++comments] = comment_text($0); next }

/^\/\* ---- / {
    end_block()
    title = $0
    sub(/^\/\* -+ /, "", title)
    sub(/ -+( \*\/)?$/, "", title)
    heading(toupper(title))
    started = 1
    next
}

/^ \*\/$/ && !in_comment { next } # of a heading that fills its line

/^#(ifndef|ifdef|include|endif)|^#define WARPBOUND_([A-Z_]+_)?H$/ { skipping = /__cplusplus/; next }
/^extern "C"/ || (skipping && /^}/) { skipping = 0; next }

in_comment || (codes == 0 && depth == 0 && /^\/\*/) {
    if (!in_comment && comments > 0) end_block()
    if (!started) {
        heading("WHAT A CALL CAME TO, AND VERSIONS")
        started = 1
    }
    in_comment = $0 !~ /\*\/ *$/
    text = comment_text($0)
    if (text != "" || in_comment) comment[++comments] = text
    next
}

/^$/ && depth == 0 { end_block(); next }

{
    code[++codes] = $0
    line = $0
    gsub(/\/\*.*/, "", line)
    depth += gsub(/{/, "", line) - gsub(/}/, "", line)
}

END {
    end_block()
    print ".SH SEE ALSO\n.BR warpbound (1),\n.BR warpbound\\-check (1)"
}
