/* The source with the cycles of the least proven bound beside each line, and under it the PTX that it became.
 */
#include "report/html/costs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/parts/bounds.h"
#include "report/write/output.h"
#include "report/write/source_text.h"

/* Most instructions that are listed; lines without cycles that are left out between others where there are
 * more of them; lines around those with cycles; lines at the top. */
#define INSTRUCTIONS_LISTED_MAX ((size_t)3000)
#define QUIET_LINES_MAX 6u
#define LINES_AROUND 2u
#define HOTTEST_LINES 8u

/* An instruction that is listed at a line of a file, or with all others of its function that are of none. */
struct listed {
    const wb_cost *cost;
    const char *file;  /* or NULL */
    const char *group; /* the file, or the function */
    uint32_t line;
    uint64_t found; /* cycles of the slowest execution */
};

/* What is listed: the instructions that are executed or have cycles, by file, line and place. */
struct listing {
    struct html_page *page;
    const struct html_costs *costs;
    struct listed *rows;
    size_t row_count;
    bool by_code;   /* the code has no lines of a source: its own stand for them */
    uint64_t least; /* cycles of the instructions that are listed */
    size_t left_out;
    uint64_t hottest; /* cycles of the hottest line */
    struct source_texts texts;
};

/* The instructions of one line: rows [first, end). */
struct line {
    const char *file;     /* NULL: the compiler says of none of them where it comes from, */
    const char *function; /* in this function */
    uint32_t number;
    size_t first, end;
    uint64_t cycles, found; /* of the bound, and of the slowest execution */
};

/* ---- Order ----------------------------------------------------------------------------------------------
 */

static bool has_source(const wb_cost *cost) {
    return cost->place.source_file != NULL && cost->place.source_line > 0;
}

static struct listed listed_of(const struct listing *listing, const wb_cost *cost) {
    const wb_cost_place *place = &cost->place;
    struct listed row = {.cost = cost, .group = place->function};
    if (has_source(cost)) {
        row.file = place->source_file;
        row.line = place->source_line;
    } else if (listing->by_code) {
        row.file = place->code_file;
        row.line = place->code_line;
    }
    if (row.file != NULL) row.group = row.file;
    return row;
}

static int compare_rows(const void *a, const void *b) {
    const struct listed *x = a, *y = b;
    if ((x->file != NULL) != (y->file != NULL)) return x->file != NULL ? -1 : 1;
    const int groups = strcmp(x->group, y->group);
    if (groups != 0) return groups;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return (x->cost->instruction > y->cost->instruction) - (x->cost->instruction < y->cost->instruction);
}

static int compare_cycles(const void *a, const void *b) {
    const struct listed *x = a, *y = b;
    return (x->cost->cycles < y->cost->cycles) - (x->cost->cycles > y->cost->cycles);
}

/* Adds what the slowest execution spends on instructions, of which both are in the order of the code. */
static void add_found(struct listing *listing) {
    const struct html_costs *costs = listing->costs;
    size_t at = 0;
    for (size_t i = 0; i < costs->found_count; i++) {
        const wb_cost *found = &costs->found_rows[i];
        if (found->instruction == WB_NO_INSTRUCTION) continue;
        while (at < listing->row_count && listing->rows[at].cost->instruction < found->instruction)
            at++;
        if (at < listing->row_count && listing->rows[at].cost->instruction == found->instruction)
            listing->rows[at].found = found->cycles;
    }
}

/* Takes the instructions; of too many those with most cycles. */
static bool take_rows(struct listing *listing) {
    const struct html_costs *costs = listing->costs;
    listing->rows = malloc((costs->count + 1) * sizeof *listing->rows);
    if (listing->rows == NULL) return false;
    listing->by_code = true;
    for (size_t i = 0; i < costs->count; i++)
        listing->by_code = listing->by_code && !has_source(&costs->rows[i]);
    for (size_t i = 0; i < costs->count; i++) {
        const wb_cost *cost = &costs->rows[i];
        if (cost->instruction == WB_NO_INSTRUCTION || (cost->executions == 0 && cost->cycles == 0)) continue;
        listing->rows[listing->row_count++] = listed_of(listing, cost);
    }
    add_found(listing);
    if (listing->row_count > INSTRUCTIONS_LISTED_MAX) {
        qsort(listing->rows, listing->row_count, sizeof *listing->rows, compare_cycles);
        listing->least = listing->rows[INSTRUCTIONS_LISTED_MAX].cost->cycles + 1;
    }
    qsort(listing->rows, listing->row_count, sizeof *listing->rows, compare_rows);
    return true;
}

/* The line whose first instruction is row number `first`. */
static struct line line_at(const struct listing *listing, size_t first) {
    const struct listed *row = &listing->rows[first];
    struct line line = {.file = row->file,
                        .function = row->cost->place.function,
                        .number = row->line,
                        .first = first,
                        .end = first};
    for (; line.end < listing->row_count; line.end++) {
        const struct listed *next = &listing->rows[line.end];
        if ((next->file != NULL) != (row->file != NULL) || strcmp(next->group, row->group) != 0 ||
            next->line != row->line)
            break;
        line.cycles += next->cost->cycles;
        line.found += next->found;
    }
    return line;
}

/* ---- A line ---------------------------------------------------------------------------------------------
 */

/* A cell, empty of 0. */
static void put_number(struct html_page *page, uint64_t number) {
    text_string(&page->out, "<td class=\"num\">");
    if (number > 0) page_count(page, number);
    text_string(&page->out, "</td>");
}

static void put_instruction(struct listing *listing, const wb_cost *row) {
    struct html_page *page = listing->page;
    struct text *out = &page->out, words = {0};
    html_code_put(&words, &listing->costs->code, row->instruction);
    text_printf(out,
                row->place.is_machine ? "<tr><td class=\"num\">0x%04x</td><td><code>"
                                      : "<tr><td class=\"num\">%u</td><td><code>",
                row->place.is_machine ? row->place.code_address : row->place.code_line);
    xml_text(out, words.data);
    out->failed |= words.failed;
    text_free(&words);
    text_string(out, "</code></td><td>");
    xml_text(out, row->unit);
    text_string(out, "</td>");
    put_number(page, row->executions);
    put_number(page, row->issue);
    put_number(page, row->busy);
    put_number(page, row->requests);
    put_number(page, row->conflicts);
    put_number(page, row->cycles);
    text_string(out, "<td>");
    html_put_shares(page, row->share, row->cycles);
    text_string(out, "</td></tr>\n");
}

/* The instructions of a line. */
static void put_instructions(struct listing *listing, const struct line *line) {
    struct text *out = &listing->page->out;
    uint64_t share[WB_PART_COUNT] = {0};
    for (size_t i = line->first; i < line->end; i++)
        for (size_t p = 0; p < WB_PART_COUNT; p++)
            share[p] = cycles_add(share[p], listing->rows[i].cost->share[p]);
    text_string(out, "<div class=\"ptx\"><p>");
    if (line->cycles > 0) {
        text_string(out, "Spent on ");
        html_put_shares(listing->page, share, line->cycles);
        text_string(out, ".");
    } else {
        text_string(out, "None of the cycles of the bound.");
    }
    text_printf(out, "</p>\n<div class=\"scroll\"><table><thead><tr><th scope=\"col\" class=\"num\">%s</th>",
                listing->costs->code.kernel->module->code != NULL ? "Address" : "PTX line");
    text_string(
        out,
        "<th scope=\"col\">Instruction</th><th scope=\"col\">Unit</th>"
        "<th scope=\"col\" class=\"num\">Executed</th><th scope=\"col\" class=\"num\">Issue</th><th "
        "scope=\"col\" class=\"num\">Unit busy</th>"
        "<th scope=\"col\" class=\"num\">Requests</th><th scope=\"col\" class=\"num\">Conflicts</th>"
        "<th scope=\"col\" class=\"num\">Cycles</th><th scope=\"col\">Spent on</th></tr></thead><tbody>\n");
    for (size_t i = line->first; i < line->end; i++) {
        if (listing->rows[i].cost->cycles >= listing->least)
            put_instruction(listing, listing->rows[i].cost);
        else
            listing->left_out++;
    }
    text_string(out, "</tbody></table></div></div>");
}

/* A line's number, share, cycles and text; of lines without cycles only the text. */
static void put_cells(struct listing *listing, const struct line *line, uint32_t number, const char *text,
                      size_t length) {
    struct html_page *page = listing->page;
    struct text *out = &page->out;
    text_string(out, "<span class=\"ln\">");
    if (number > 0) text_printf(out, "%u", number);
    text_string(out, "</span> <span class=\"share\">");
    if (line != NULL && line->cycles > 0)
        text_printf(out, "%.1f %%", report_percent(line->cycles, listing->costs->total));
    text_string(out, "</span> <span class=\"cycles\">");
    if (line != NULL && line->cycles > 0) page_count(page, line->cycles);
    text_string(out, "</span> <span class=\"found\">");
    if (line != NULL && line->found > 0)
        text_printf(out, "%.1f %%", report_percent(line->found, listing->costs->found_total));
    text_string(out, "</span> <code>");
    xml_text_part(out, text, length);
    text_string(out, "</code>");
}

static void put_line(struct listing *listing, const struct line *line, const char *text, size_t length) {
    struct html_page *page = listing->page;
    struct text *out = &page->out;
    const double heat = listing->hottest > 0 ? (double)line->cycles / (double)listing->hottest : 0;
    text_printf(out, "<details class=\"line\" style=\"--h:%.2f\"", heat);
    char id[40];
    (void)text_format(id, sizeof id, "line-%zu", line->first);
    page_id(page, id);
    text_string(out, "><summary>");
    put_cells(listing, line, line->file != NULL ? line->number : 0, text, length);
    text_string(out, "</summary>\n");
    put_instructions(listing, line);
    text_string(out, "</details>\n");
}

/* ---- Files ----------------------------------------------------------------------------------------------
 */

/* Lines of the file without instructions, from `from` up to the one before `to`. */
static void put_quiet(struct listing *listing, const char *file, uint32_t from, uint32_t to, bool is_cut) {
    struct text *out = &listing->page->out;
    for (uint32_t number = from; number < to; number++) {
        size_t length;
        const char *text = source_texts_line(&listing->texts, file, number, &length);
        if (text == NULL) return;
        if (is_cut && to - from > QUIET_LINES_MAX && number == from + LINES_AROUND) {
            text_string(out, "<div class=\"line gap\"><span class=\"ln\">\xe2\x8b\xaf</span></div>\n");
            number = to - LINES_AROUND - 1;
            continue;
        }
        text_string(out, "<div class=\"line\">");
        put_cells(listing, NULL, number, text, length);
        text_string(out, "</div>\n");
    }
}

/* What stands for the text of a line that is not known. */
static void put_unknown_line(struct listing *listing, const struct line *line) {
    struct text words = {0};
    if (line->file != NULL)
        text_printf(&words, "%s:%u", line->file, line->number);
    else
        text_printf(&words, "%s: instructions of no line", line->function);
    listing->page->out.failed |= words.failed;
    if (!words.failed) put_line(listing, line, words.data, words.length);
    text_free(&words);
}

/* The lines of one file, or the instructions of one function without lines; returns the row behind them. */
static size_t put_file(struct listing *listing, size_t first) {
    struct text *out = &listing->page->out;
    struct line line = line_at(listing, first);
    const char *file = line.file;
    const size_t lines = file != NULL ? source_texts_line_count(&listing->texts, file) : 0;
    uint32_t next = line.number > LINES_AROUND ? line.number - LINES_AROUND : 1;
    size_t row = first;
    if (file != NULL) {
        page_subheading(listing->page, "%s", file);
        if (lines == 0)
            page_note(listing->page,
                      "The text of this file was not found beside the code: lines stand by their "
                      "numbers.");
    }
    text_string(
        out, "<div class=\"source\">\n<div class=\"line head\" aria-hidden=\"true\"><span class=\"ln\">line"
             "</span> <span class=\"share\">bound</span> <span class=\"cycles\">cycles</span> ");
    text_printf(out, "<span class=\"found\">%s</span> <span>source</span></div>\n",
                listing->costs->found != NULL ? "found" : "");
    for (; row < listing->row_count; row = line.end) {
        size_t length;
        line = line_at(listing, row);
        if ((line.file != NULL) != (file != NULL) || (file != NULL && strcmp(line.file, file) != 0)) break;
        if (file != NULL) put_quiet(listing, file, next, line.number, row > first);
        const char *text =
            file != NULL ? source_texts_line(&listing->texts, file, line.number, &length) : NULL;
        if (text != NULL)
            put_line(listing, &line, text, length);
        else
            put_unknown_line(listing, &line);
        next = line.number + 1;
    }
    if (file != NULL) put_quiet(listing, file, next, next + LINES_AROUND, false);
    text_string(out, "</div>\n");
    return row;
}

/* ---- The hottest ----------------------------------------------------------------------------------------
 */

/* A line at the top, as a bar. */
static void put_hot(struct listing *listing, const struct line *line) {
    struct html_page *page = listing->page;
    struct text *out = &page->out;
    text_printf(out, "<li class=\"bar hot\"><span class=\"name\"><a href=\"#line-%zu", line->first);
    if (page->launch > 0) text_printf(out, "-%zu", page->launch);
    text_string(out, "\">");
    const char *slash = line->file != NULL ? strrchr(line->file, '/') : NULL;
    if (line->file != NULL) {
        xml_text(out, slash != NULL ? slash + 1 : line->file);
        text_printf(out, ":%u", line->number);
    } else {
        page_name(page, line->function);
    }
    text_string(out,
                "</a></span> <span class=\"track\" aria-hidden=\"true\"><i class=\"fill\" style=\"width:");
    page_share(page, (double)line->cycles, (double)listing->hottest);
    text_string(out, "\"></i></span> <span class=\"value\">");
    page_count(page, line->cycles);
    text_printf(out, " %.1f %%</span></li>\n", report_percent(line->cycles, listing->costs->total));
}

/* The lines with most cycles, of which the first gives the scale. */
static void put_hottest(struct listing *listing) {
    struct line hottest[HOTTEST_LINES];
    size_t count = 0;
    for (size_t row = 0; row < listing->row_count;) {
        const struct line line = line_at(listing, row);
        row = line.end;
        if (line.cycles == 0) continue;
        size_t at = count < HOTTEST_LINES ? count++ : HOTTEST_LINES;
        for (; at > 0 && hottest[at - 1].cycles < line.cycles; at--)
            if (at < HOTTEST_LINES) hottest[at] = hottest[at - 1];
        if (at < HOTTEST_LINES) hottest[at] = line;
    }
    if (count == 0) return;
    listing->hottest = hottest[0].cycles;
    text_string(&listing->page->out, "<div class=\"bars\"><ol>\n");
    for (size_t i = 0; i < count; i++)
        put_hot(listing, &hottest[i]);
    text_string(&listing->page->out, "</ol></div>\n");
}

/* What would lower the bound, as far as that is certain. */
static void put_hints(struct listing *listing) {
    struct html_page *page = listing->page;
    struct text *out = &page->out;
    size_t count;
    const wb_hint *hints = wb_hints_list(listing->costs->hints, &count);
    if (count == 0) return;
    page_subheading(page, "What would lower it");
    text_string(out, "<ul>\n");
    for (size_t h = 0; h < count; h++) {
        const wb_hint *hint = &hints[h];
        text_string(out, "<li>");
        if (hint->place.source_file != NULL) {
            xml_text(out, hint->place.source_file);
            text_printf(out, ":%u: ", hint->place.source_line);
        }
        xml_text(out, hint->text);
        if (hint->instruction != WB_NO_INSTRUCTION) {
            text_string(out, " <span class=\"kind\">");
            xml_text(out, hint->place.text);
            if (hint->place.is_machine)
                text_printf(out, ", 0x%04x", hint->place.code_address);
            else
                text_printf(out, ", PTX line %u", hint->place.code_line);
            text_printf(out, ", %.1f %% of the bound</span>",
                        report_percent(hint->cycles, listing->costs->total));
        }
        if (hint->up_to > 0) {
            text_string(out, ", up to ");
            page_count(page, hint->up_to);
            text_string(out, " cycles less");
        }
        text_string(out, "</li>\n");
    }
    text_string(out, "</ul>\n");
}

/* Cycles that belong to no instruction. */
static void put_others(struct listing *listing) {
    struct html_page *page = listing->page;
    size_t put = 0;
    for (size_t i = 0; i < listing->costs->count; i++) {
        const wb_cost *row = &listing->costs->rows[i];
        if (row->instruction != WB_NO_INSTRUCTION || row->cycles == 0) continue;
        text_string(&page->out, put++ == 0 ? "<p class=\"note\">Of no instruction: " : ", ");
        xml_text(&page->out, row->about);
        text_string(&page->out, " ");
        page_count(page, row->cycles);
    }
    if (put > 0) text_string(&page->out, " cycles.</p>\n");
}

void html_source(struct html_page *page, const struct html_costs *costs) {
    struct listing listing = {.page = page, .costs = costs};
    text_string(&page->out, "<p>The ");
    page_count(page, costs->total);
    text_printf(&page->out,
                " cycles of %s, by the line that they are spent on. A line unfolds to the instructions that "
                "it became.",
                costs->method);
    if (costs->found != NULL) {
        text_printf(&page->out, " Beside them what the lines take of the slowest execution found (%s), ",
                    costs->found);
        page_cycles(page, costs->found_total);
        text_string(&page->out, ".");
    }
    text_string(&page->out, "</p>\n");
    if (!take_rows(&listing)) {
        page->out.failed = true;
        return;
    }
    listing.texts = source_texts_open(costs->code.kernel->module);
    listing.texts.folder = page->options.source;
    put_hottest(&listing);
    put_hints(&listing);
    for (size_t row = 0; row < listing.row_count;)
        row = put_file(&listing, row);
    put_others(&listing);
    if (listing.left_out > 0)
        page_note(page, "%zu instructions with fewer than %" PRIu64 " cycles each are left out.",
                  listing.left_out, listing.least);
    page->out.failed |= listing.texts.failed;
    source_texts_close(&listing.texts);
    free(listing.rows);
}
