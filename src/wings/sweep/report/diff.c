/* Two databases compared, unit by unit: how far the least proven bounds have moved. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/write/output.h"
#include "wings/sweep/report/report.h"

/* The inputs and the result of the comparison. */
struct comparison {
    const struct stored_units *before, *after;
    double most; /* percent that a bound may grow by */
    struct text *out;
    size_t both, grown, shrunk, lost, only_before, only_after, worse;
    double worst; /* percent */
};

/* An entry of an index of units. */
struct entry {
    const char *id;
    const struct stored_unit *unit;
};

static int compare_ids(const void *a, const void *b) {
    const struct entry *left = a, *right = b;
    return strcmp(left->id, right->id);
}

/* The units by their ids. */
static struct entry *by_id(const struct stored_units *stored, struct arena *arena) {
    struct entry *entries = arena_array(arena, stored->units.count + 1, sizeof *entries);
    for (size_t i = 0; i < stored->units.count; i++)
        entries[i] = (struct entry){stored->units.items[i].id, &stored->units.items[i]};
    if (stored->units.count > 1) qsort(entries, stored->units.count, sizeof *entries, compare_ids);
    return entries;
}

/* The same unit of an index, or NULL. */
static const struct stored_unit *find(const struct entry *entries, size_t count,
                                      const struct stored_unit *unit) {
    const struct entry wanted = {.id = unit->id};
    const struct entry *found =
        count == 0 ? NULL : bsearch(&wanted, entries, count, sizeof *entries, compare_ids);
    return found == NULL ? NULL : found->unit;
}

static void put_parameters(struct comparison *comparison, const struct stored_units *stored,
                           const struct stored_unit *unit) {
    text_string(comparison->out, "|");
    for (size_t i = 0; i < stored->columns.count; i++)
        if (unit->values[i] != NULL) {
            text_char(comparison->out, ' ');
            show_put_cell(comparison->out, stored->columns.items[i]);
            text_char(comparison->out, '=');
            show_put_cell(comparison->out, unit->values[i]);
        }
    text_string(comparison->out, " |");
}

static void put_bound(struct comparison *comparison, const struct stored_unit *unit) {
    if (unit == NULL)
        text_string(comparison->out, " none |");
    else if (unit->bound == NO_CYCLES)
        text_printf(comparison->out, " %s |", strcmp(unit->status, "done") == 0 ? unit->state : unit->status);
    else
        text_printf(comparison->out, " %" PRIu64 " |", unit->bound);
}

/* A line of the table. */
static void put_line(struct comparison *comparison, const struct stored_unit *before,
                     const struct stored_unit *after, const char *change) {
    put_parameters(comparison, before != NULL ? comparison->before : comparison->after,
                   before != NULL ? before : after);
    put_bound(comparison, before);
    put_bound(comparison, after);
    text_printf(comparison->out, " %s |\n", change);
}

static void compare_bounds(struct comparison *comparison, const struct stored_unit *before,
                           const struct stored_unit *after) {
    char change[40];
    const long double growth = (long double)after->bound - (long double)before->bound;
    const double percent = before->bound == 0 ? (after->bound > 0 ? 100 : 0)
                                              : (double)(100 * growth / (long double)before->bound);
    if (after->bound == before->bound) return;
    (void)text_format(change, sizeof change, "%+.2f %%", percent);
    comparison->grown += percent > 0;
    comparison->shrunk += percent < 0;
    comparison->worse += percent > comparison->most;
    if (percent > comparison->worst) comparison->worst = percent;
    put_line(comparison, before, after, change);
}

/* A unit of the first database, with the same one of the second. */
static void compare_units(struct comparison *comparison, const struct stored_unit *before,
                          const struct stored_unit *after) {
    if (after == NULL) {
        comparison->only_before++;
        comparison->worse += before->bound != NO_CYCLES;
        put_line(comparison, before, NULL, "only in the first");
        return;
    }
    comparison->both++;
    if (before->bound != NO_CYCLES && after->bound != NO_CYCLES) {
        compare_bounds(comparison, before, after);
    } else if (before->bound != NO_CYCLES) {
        comparison->lost++;
        comparison->worse++;
        put_line(comparison, before, after, "no bound any more");
    } else if (after->bound != NO_CYCLES) {
        put_line(comparison, before, after, "a bound now");
    }
}

static void put_summary(const struct comparison *comparison) {
    const size_t same = comparison->both - comparison->grown - comparison->shrunk - comparison->lost;
    text_printf(comparison->out, "\n%zu units in both: %zu bounds grew", comparison->both, comparison->grown);
    if (comparison->grown > 0) text_printf(comparison->out, " (at most %.2f %%)", comparison->worst);
    text_printf(comparison->out, ", %zu shrank, %zu are lost, %zu units are as before or have a bound now;",
                comparison->shrunk, comparison->lost, same);
    text_printf(comparison->out, " %zu units only in the first, %zu only in the second\n",
                comparison->only_before, comparison->only_after);
}

/* A comparison, as a pass. */
struct comparing {
    struct comparison *comparison;
    struct arena *arena;
};

static void compare_all(void *context) {
    const struct comparing *comparing = context;
    struct comparison *comparison = comparing->comparison;
    const struct stored_units *before = comparison->before, *after = comparison->after;
    const struct entry *of_after = by_id(after, comparing->arena),
                       *of_before = by_id(before, comparing->arena);
    text_string(comparison->out, "| unit | was | is | change |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < before->units.count; i++)
        compare_units(comparison, &before->units.items[i],
                      find(of_after, after->units.count, &before->units.items[i]));
    for (size_t i = 0; i < after->units.count; i++) {
        if (find(of_before, before->units.count, &after->units.items[i]) != NULL) continue;
        comparison->only_after++;
        put_line(comparison, NULL, &after->units.items[i], "only in the second");
    }
    put_summary(comparison);
}

wb_status wb_results_diff(const wb_results *before, const wb_results *after, double most,
                          wb_diagnostics *diagnostics, char **text, bool *worse) {
    struct arena arena = {0};
    struct stored_units of_before, of_after;
    struct text out = {0};
    wb_status status = stored_read(before, &arena, diagnostics, &of_before);
    if (status == WB_OK) status = stored_read(after, &arena, diagnostics, &of_after);
    struct comparison comparison = {.before = &of_before, .after = &of_after, .most = most, .out = &out};
    struct comparing comparing = {&comparison, &arena};
    if (status == WB_OK && arena_protect(&arena, compare_all, &comparing) != WB_OK)
        status = diagnose_out_of_memory(diagnostics, "sweep diff");
    *worse = comparison.worse > 0;
    status = report_take(status, &out, diagnostics, text);
    arena_free(&arena);
    return status;
}
