/* The hottest lines, loops and functions, as tables of 80 columns. */
#include <inttypes.h>
#include <string.h>

#include "bound/analysis/verdict.h"
#include "report/costs/costs_shown.h"
#include "report/parts/parts.h"

/* Columns of a line, and where places stand. */
enum { LINE_WIDTH = 80, PLACE_COLUMN = 9 };

void costs_put_line(struct text *out, const char *line, size_t length, size_t most) {
    size_t at = 0, shown = 0;
    while (at < length && (line[at] == ' ' || line[at] == '\t'))
        at++;
    for (uint32_t point; at < length && shown < most; shown++) {
        const size_t bytes = utf8_decode(line + at, length - at, &point);
        const bool printable = bytes > 0 && text_is_printable(point);
        if (shown + 3 >= most && length - at > 3) {
            text_string(out, "...");
            return;
        }
        if (bytes > 0 && point == '\t')
            text_char(out, ' ');
        else if (printable)
            text_append(out, line + at, bytes);
        else
            text_char(out, '?');
        at += bytes > 0 ? bytes : 1;
    }
}

/* Appends where a row is: "blur.cu:23", "blur.ptx:107", or what it is about. */
static void costs_put_place(struct text *out, const wb_cost *row) {
    const wb_cost_place *place = &row->place;
    const bool has_source = place->source_file != NULL && place->source_line > 0;
    const char *file = has_source ? place->source_file : place->code_file;
    const char *slash = file != NULL ? strrchr(file, '/') : NULL, *last = slash != NULL ? slash + 1 : file;
    if (row->about != NULL)
        text_string(out, row->about);
    else if (file != NULL && !has_source && place->is_machine)
        text_printf(out, "%s:0x%04x", last, place->code_address);
    else if (file != NULL && (has_source || place->code_line > 0))
        text_printf(out, "%s:%u", last, has_source ? place->source_line : place->code_line);
    else
        text_printf(out, "instruction %zu", row->instruction);
}

void costs_put_source(struct text *out, struct costs_shown *shown, const wb_cost *row, size_t most) {
    const wb_cost_place *place = &row->place;
    size_t length;
    if (row->about != NULL || shown->code.module == NULL) return;
    if (place->source_file != NULL && place->source_line > 0) {
        const char *line =
            source_texts_line(&shown->sources, place->source_file, place->source_line, &length);
        if (line != NULL)
            costs_put_line(out, line, length, most);
        else if (place->text != NULL)
            costs_put_line(out, place->text, strlen(place->text), most);
        return;
    }
    const char *line = source_lines_text(&shown->code, place->code_line, &length);
    if (line != NULL) costs_put_line(out, line, length, most);
}

/* ---- Numbers ------------------------------------------------------------------------------------------- */

/* A number in at most six characters: "99999", "123k", "12.3M". */
static void compact_cell(struct sheet *table, uint64_t number) {
    static const char units[] = "kMGTPE";
    double value = (double)number;
    size_t unit = 0;
    if (number < 100000) {
        sheet_count(table, number);
        return;
    }
    for (value /= 1000; value >= 999.5 && unit + 2 < sizeof units; value /= 1000)
        unit++;
    sheet_printf(table, "%.*f%c", value < 99.95 ? 1 : 0, value, units[unit]);
}

/* A share in percent; empty of nothing. */
static void percent_cell(struct sheet *table, uint64_t part, uint64_t whole) {
    if (whole == 0)
        sheet_skip(table);
    else
        sheet_printf(table, "%.1f%%", report_percent(part, whole));
}

/* ---- The table ----------------------------------------------------------------------------------------- */

/* The columns besides those of all tables. */
struct hot_table {
    struct costs_shown *shown;
    struct sheet sheet;
    bool parts[WB_PART_COUNT]; /* of which some row has cycles, if they have a column of their own */
    bool rest;                 /* a column of all others */
};

/* The kind whose column a kind is in: there is little room, and JSON has all of them. */
static wb_part_kind column_of(size_t what) {
    switch ((wb_part_kind)what) {
    case WB_PART_L1:
    case WB_PART_L2:
    case WB_PART_DRAM: return WB_PART_LATENCY;
    case WB_PART_CODE: return WB_PART_FETCH;
    default: return (wb_part_kind)what;
    }
}

/* Gives the kinds that have cycles a column each; where there is no room, the largest, and one to the rest.
 */
static void find_parts(struct hot_table *table) {
    uint64_t sums[WB_PART_COUNT] = {0};
    const size_t room = (LINE_WIDTH - 18 - 8 - (table->shown->beside != NULL ? 9u : 0u)) / 8;
    size_t count = 0;
    for (size_t r = 0; r < table->shown->lines.items.count; r++)
        for (size_t what = 0; what < WB_PART_COUNT; what++)
            sums[column_of(what)] += table->shown->lines.items.items[r].cost->share[what];
    for (size_t what = 0; what < WB_PART_COUNT; what++)
        count += table->parts[what] = sums[what] > 0;
    for (; count + table->rest > room; count--) { /* of 8 characters each */
        size_t least = WB_PART_COUNT;
        for (size_t what = 0; what < WB_PART_COUNT; what++)
            if (table->parts[what] && (least == WB_PART_COUNT || sums[what] < sums[least])) least = what;
        table->parts[least] = false;
        table->rest = true;
    }
}

static void begin_table(struct hot_table *table) {
    static const char *const headings[WB_PART_COUNT] = {[WB_PART_INTERFERENCE] = "others",
                                                        [WB_PART_NEIGHBOURS] = "outside",
                                                        [WB_PART_CONSTANTS] = "consts",
                                                        [WB_PART_TRANSLATIONS] = "pages"};
    uint32_t at = 18;
    sheet_column(&table->sheet, SHEET_RIGHT, 7, "share");
    sheet_column(&table->sheet, SHEET_RIGHT, at, "cycles");
    for (size_t what = 0; what < WB_PART_COUNT; what++)
        if (table->parts[what])
            sheet_column(&table->sheet, SHEET_RIGHT, at += 8,
                         headings[what] != NULL ? headings[what] : wb_part_name((wb_part_kind)what));
    if (table->rest) sheet_column(&table->sheet, SHEET_RIGHT, at += 8, "rest");
    sheet_column(&table->sheet, SHEET_RIGHT, at += 8, "runs");
    if (table->shown->beside != NULL) sheet_column(&table->sheet, SHEET_RIGHT, at + 9, "simulated");
    sheet_headings(&table->sheet);
}

static void put_numbers(struct hot_table *table, const wb_cost *cost, uint64_t simulated) {
    struct sheet *sheet = &table->sheet;
    percent_cell(sheet, cost->with_inner, table->shown->total);
    sheet_count(sheet, cost->with_inner);
    uint64_t sums[WB_PART_COUNT] = {0}, rest = 0;
    for (size_t what = 0; what < WB_PART_COUNT; what++)
        *(table->parts[column_of(what)] ? &sums[column_of(what)] : &rest) += cost->share[what];
    for (size_t what = 0; what < WB_PART_COUNT; what++)
        if (table->parts[what]) compact_cell(sheet, sums[what]);
    if (table->rest) compact_cell(sheet, rest);
    if (cost->about == NULL)
        compact_cell(sheet, cost->executions);
    else
        sheet_skip(sheet);
    if (table->shown->beside != NULL) percent_cell(sheet, simulated, table->shown->simulated);
    sheet_end_row(sheet);
}

/* A row: the numbers, and below them the place with its text. */
static void put_row(struct text *out, struct hot_table *table, const struct shown_row *row) {
    put_numbers(table, row->cost, row->simulated);
    sheet_print(&table->sheet, out);
    const size_t start = out->length;
    text_pad(out, PLACE_COLUMN);
    costs_put_place(out, row->cost);
    const size_t width = out->length - start + 2, before = out->length;
    text_string(out, "  ");
    if (width < LINE_WIDTH) costs_put_source(out, table->shown, row->cost, LINE_WIDTH - width);
    if (out->length == before + 2) out->length = before;
    text_char(out, '\n');
}

/* The sum of the rows from number `first` on. */
static void put_sum(struct text *out, struct hot_table *table, size_t first, const char *format) {
    const struct shown_rows *rows = &table->shown->lines;
    wb_cost sum = {.about = "sum"};
    uint64_t simulated = 0;
    for (size_t r = first; r < rows->items.count; r++) {
        const wb_cost *cost = rows->items.items[r].cost;
        for (size_t what = 0; what < WB_PART_COUNT; what++)
            sum.share[what] += cost->share[what];
        sum.with_inner += cost->cycles;
        simulated += rows->items.items[r].simulated;
    }
    put_numbers(table, &sum, simulated);
    sheet_print(&table->sheet, out);
    text_pad(out, PLACE_COLUMN);
    text_printf(out, format, rows->items.count - first, plural(rows->items.count - first));
}

/* "where the time goes: upper kernel of the kernel, 189375 cycles (203.63 us)" */
static void put_title(struct text *out, const struct costs_shown *shown) {
    text_string(out, "where the time goes: ");
    costs_put_subject(out, shown);
    text_printf(out, ", %" PRIu64 " cycles (", shown->total);
    report_put_time(out, shown->analysis->machine->clock_mhz, shown->total);
    text_string(out, ")\n");
    if (shown->not_shown != NULL)
        text_printf(out, "(the cycles of the bound %s are not attributed to lines)\n", shown->not_shown);
    if (shown->beside != NULL)
        text_printf(out, "simulated: the critical chain of %s, %" PRIu64 " cycles\n", shown->beside,
                    shown->simulated);
}

/* Loops, or functions, if there are several. */
static void put_more(struct text *out, struct costs_shown *shown, const struct shown_rows *rows,
                     const char *title, bool are_loops) {
    if (rows->items.count < 2) return;
    struct sheet table = {0};
    text_printf(out, "\n%s\n", title);
    sheet_column(&table, SHEET_RIGHT, 7, "share");
    sheet_column(&table, SHEET_RIGHT, 18, "cycles");
    sheet_column(&table, SHEET_RIGHT, 26, "runs");
    sheet_column(&table, SHEET_RIGHT, 36, shown->beside != NULL ? "simulated" : "");
    sheet_column(&table, SHEET_LEFT, 38, are_loops ? "loop" : "function");
    sheet_headings(&table);
    for (size_t r = 0; r < rows->items.count; r++) {
        const struct shown_row *row = &rows->items.items[r];
        percent_cell(&table, row->cost->with_inner, shown->total);
        sheet_count(&table, row->cost->with_inner);
        compact_cell(&table, row->cost->executions);
        percent_cell(&table, row->simulated, shown->simulated);
        struct text *cell = sheet_begin_cell(&table);
        if (are_loops) {
            costs_put_place(cell, row->cost);
            if (row->cost->place.text != NULL) text_printf(cell, " %s", row->cost->place.text);
        } else {
            text_string(cell, row->cost->place.function);
        }
        sheet_end_cell(&table, true);
        sheet_end_row(&table);
    }
    sheet_close(&table, out);
}

/* Ways to lower the shares. */
static void put_hints(struct text *out, struct costs_shown *shown) {
    size_t count;
    const wb_hint *hints = wb_hints_list(shown->hints, &count);
    if (count > 0) text_string(out, "\nwhat would lower them\n");
    for (size_t h = 0; h < count; h++) {
        const wb_cost row = {.instruction = hints[h].instruction, .place = hints[h].place};
        text_string(out, "  ");
        if (hints[h].instruction != WB_NO_INSTRUCTION) {
            costs_put_place(out, &row);
            text_printf(out, ", %s (%.1f %%", hints[h].place.text,
                        report_percent(hints[h].cycles, shown->total));
            if (hints[h].up_to > 0) text_printf(out, "; up to %" PRIu64 " cycles less", hints[h].up_to);
            text_string(out, ")\n    ");
        }
        text_printf(out, "%s\n", hints[h].text);
    }
}

void costs_put_lines(struct text *out, struct costs_shown *shown, size_t most) {
    struct hot_table table = {.shown = shown};
    const size_t count = shown->lines.items.count;
    text_char(out, '\n');
    put_title(out, shown);
    find_parts(&table);
    begin_table(&table);
    sheet_print(&table.sheet, out);
    for (size_t r = 0; r < count && r < most; r++)
        put_row(out, &table, &shown->lines.items.items[r]);
    if (count > most) put_sum(out, &table, most, "%zu other line%s\n");
    put_sum(out, &table, 0, "all of them, %zu line%s\n");
    sheet_close(&table.sheet, out);
    put_more(out, shown, &shown->loops, "loops, with those inside them", true);
    put_more(out, shown, &shown->functions, "functions", false);
    put_hints(out, shown);
}
