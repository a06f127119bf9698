#include "naive_certificate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "wings/makespan/strings/witness_file.h"

#define STAGES_MAX 24u
#define UNKNOWN UINT32_MAX

/* A run of equal letters, or a single position. */
struct naive_stage {
    uint32_t group, unit, first, length;
    bool last;
};

/* n warps in every stage, which have w instructions of it left together. */
struct naive_cell {
    uint32_t n[STAGES_MAX], w[STAGES_MAX];
    uint32_t value;
};

struct naive_table {
    const struct makespan_problem *problem;
    struct naive_stage stages[STAGES_MAX];
    uint32_t count;
    bool
        runs; /* stages are runs, and groups have so many warps as they have; else all have `most` together */
    uint32_t most;
    VEC(struct naive_cell) cells; /* in the order of the file */
};

static void make_stages(struct naive_table *table) {
    const struct makespan_problem *problem = table->problem;
    for (uint32_t g = 0; g < problem->group_count; g++)
        for (uint32_t i = 0; i < problem->groups[g].length; i++) {
            uint32_t p = problem->groups[g].first + i;
            bool goes_on = table->runs && i > 0 && problem->unit[p] == problem->unit[p - 1];
            if (!goes_on) {
                assert_true(table->count < STAGES_MAX);
                table->stages[table->count++] = (struct naive_stage){g, problem->unit[p], p, 0, false};
            }
            table->stages[table->count - 1].length++;
            table->stages[table->count - 1].last = i + 1 == problem->groups[g].length;
        }
}

/* Whether there are so many warps. */
static bool has_warps(const struct naive_table *table, const struct naive_cell *cell) {
    uint32_t in_all = 0;
    uint32_t in_group[3] = {0};
    for (uint32_t j = 0; j < table->count; j++) {
        in_all += cell->n[j];
        in_group[table->stages[j].group] += cell->n[j];
    }
    for (uint32_t g = 0; table->runs && g < table->problem->group_count; g++)
        if (in_group[g] > table->problem->groups[g].warps) return false;
    return in_all <= table->most;
}

/* Adds all cells with these n and w up to stage j: first n of all stages is chosen, then w. */
static void add_cells(struct naive_table *table, struct naive_cell *cell, uint32_t j) {
    if (j == 2 * table->count) {
        assert_int_equal(vec_push(&table->cells, *cell), WB_OK);
    } else if (j >= table->count) {
        uint32_t k = j - table->count;
        for (cell->w[k] = cell->n[k]; cell->w[k] <= cell->n[k] * table->stages[k].length; cell->w[k]++)
            add_cells(table, cell, j + 1);
        cell->w[k] = 0;
    } else {
        for (cell->n[j] = 0; has_warps(table, cell); cell->n[j]++)
            add_cells(table, cell, j + 1);
        cell->n[j] = 0;
    }
}

static int compare_cells(const void *a, const void *b) {
    const struct naive_cell *x = a, *y = b;
    for (uint32_t j = 0; j < STAGES_MAX; j++)
        if (x->n[j] != y->n[j]) return x->n[j] < y->n[j] ? -1 : 1;
    for (uint32_t j = 0; j < STAGES_MAX; j++)
        if (x->w[j] != y->w[j]) return x->w[j] < y->w[j] ? -1 : 1;
    return 0;
}

static struct naive_cell *find_cell(struct naive_table *table, const struct naive_cell *cell) {
    struct naive_cell *found =
        bsearch(cell, table->cells.items, table->cells.count, sizeof *cell, compare_cells);
    assert_non_null(found);
    return found;
}

static struct naive_table make_table(const struct makespan_problem *problem, bool runs, uint32_t most) {
    struct naive_table table = {.problem = problem, .runs = runs, .most = most};
    struct naive_cell empty = {.value = UNKNOWN};
    make_stages(&table);
    add_cells(&table, &empty, 0);
    table.cells.items[0].value = 0; /* nobody is left */
    return table;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Whether so many warps of each stage can execute in a cycle together. */
static bool is_work_conserving(const struct naive_table *table, const struct naive_cell *cell,
                               const uint32_t *k) {
    uint32_t ready[UNIT_TYPES] = {0}, executing[UNIT_TYPES] = {0};
    uint32_t all = 0, possible = 0;
    for (uint32_t j = 0; j < table->count; j++) {
        ready[table->stages[j].unit] += cell->n[j];
        executing[table->stages[j].unit] += k[j];
        all += k[j];
    }
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        uint32_t most = smaller(ready[unit], table->problem->capacity[unit]);
        if (executing[unit] > most) return false;
        possible += most;
    }
    return all == smaller(possible, table->problem->issue_limit);
}

static uint32_t value_of(struct naive_table *table, struct naive_cell *cell);

/* The greatest value of a successor, with k and d chosen for the stages before j. */
static uint32_t greatest_successor(struct naive_table *table, const struct naive_cell *cell, uint32_t *k,
                                   uint32_t *d, uint32_t j) {
    uint32_t greatest = 0;
    if (j == table->count) {
        if (!is_work_conserving(table, cell, k)) return 0;
        struct naive_cell next = {.value = 0};
        for (uint32_t i = 0; i < table->count; i++) {
            uint32_t arriving = i == 0 || table->stages[i - 1].last ? 0 : d[i - 1];
            next.n[i] = cell->n[i] - d[i] + arriving;
            next.w[i] = cell->w[i] - k[i] + arriving * table->stages[i].length;
        }
        return value_of(table, find_cell(table, &next));
    }
    for (k[j] = 0; k[j] <= cell->n[j]; k[j]++)
        for (d[j] = 0; d[j] <= k[j]; d[j]++) {
            uint32_t stay = cell->n[j] - d[j];
            if (k[j] + stay > cell->w[j] || cell->w[j] > stay * table->stages[j].length + d[j]) continue;
            uint32_t value = greatest_successor(table, cell, k, d, j + 1);
            if (value > greatest) greatest = value;
        }
    return greatest;
}

static uint32_t value_of(struct naive_table *table, struct naive_cell *cell) {
    uint32_t k[STAGES_MAX] = {0}, d[STAGES_MAX] = {0};
    if (cell->value == UNKNOWN) cell->value = 1 + greatest_successor(table, cell, k, d, 0);
    return cell->value;
}

/* Gives cells with few warps the greatest time of a state of theirs. */
static void grade(struct naive_table *runs, struct naive_table *tail) {
    for (size_t i = 1; i < tail->cells.count; i++) {
        struct naive_cell cell = {.value = 0};
        uint32_t j = 0;
        for (uint32_t p = 0; p < tail->count; p++) {
            const struct naive_stage *stage = &runs->stages[j];
            cell.n[j] += tail->cells.items[i].n[p];
            cell.w[j] += tail->cells.items[i].n[p] * (stage->first + stage->length - p);
            if (p + 1 == stage->first + stage->length) j++;
        }
        if (!has_warps(runs, &cell)) continue;
        struct naive_cell *found = find_cell(runs, &cell);
        uint32_t time = value_of(tail, &tail->cells.items[i]);
        if (found->value == UNKNOWN || found->value < time) found->value = time;
    }
}

static uint16_t *take_values(struct naive_table *table, size_t *count) {
    *count = table->cells.count;
    uint16_t *values = calloc(*count, sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < *count; i++)
        values[i] = (uint16_t)value_of(table, &table->cells.items[i]);
    vec_free(&table->cells);
    return values;
}

struct naive_certificate naive_certificate_make(const struct makespan_problem *problem,
                                                const struct schedule *witness, uint32_t tail_warps) {
    struct naive_certificate certificate = {.problem = problem, .witness = witness, .tail_warps = tail_warps};
    struct naive_table tail = make_table(problem, false, tail_warps);
    struct naive_table runs = make_table(problem, true, problem->warp_count);
    grade(&runs, &tail);
    certificate.tail = take_values(&tail, &certificate.tail_count);
    certificate.cells = take_values(&runs, &certificate.cell_count);
    return certificate;
}

void naive_certificate_free(struct naive_certificate *certificate) {
    free(certificate->tail);
    free(certificate->cells);
}

static void put_values(const uint16_t *values, size_t count, struct text *out) {
    for (size_t i = 0; i < count; i++) {
        text_char(out, (char)(values[i] & 0xff));
        text_char(out, (char)(values[i] >> 8));
    }
}

void naive_certificate_print(const struct naive_certificate *certificate, struct text *out) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct text witness = {0};
    assert_int_equal(witness_file_print(certificate->problem, certificate->witness, diagnostics, &witness),
                     WB_OK);
    text_printf(out, "warpbound certificate 1\nwitness %zu\n%stail %u\n", witness.length, witness.data,
                certificate->tail_warps);
    put_values(certificate->tail, certificate->tail_count, out);
    if (certificate->tail_warps < certificate->problem->warp_count)
        put_values(certificate->cells, certificate->cell_count, out);
    assert_false(out->failed);
    text_free(&witness);
    wb_diagnostics_free(diagnostics);
}
