#include "wings/makespan/certificate/check.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "base/files.h"
#include "base/gzip.h"
#include "wings/makespan/certificate/certificate.h"
#include "wings/makespan/certificate/stages.h"

/* A line of the file and the end of its string. */
#define LINE_BYTES 64u

/* How many values are read at a time. */
#define VALUES_AT_ONCE ((size_t)1 << 16)

struct check {
    struct arena arena; /* protected; of all that is read and made */
    struct gzip_reader reader;
    const char *name;
    wb_diagnostics *diagnostics;
    uint64_t memory;
    uint32_t threads;
    struct certificate_proof *proof;
    struct stage_table tail;
    struct stage_table runs;
    wb_status status;
};

static wb_status refuse(const struct check *check, const char *what) {
    diagnose(check->diagnostics, SEVERITY_ERROR, check->name, "%s", what);
    return WB_ERR_INPUT;
}

/* Reads a line without its end. */
static wb_status read_line(struct check *check, char line[LINE_BYTES]) {
    for (size_t length = 0; length < LINE_BYTES; length++) {
        WB_TRY(gzip_read(&check->reader, line + length, 1));
        if (line[length] != '\n') continue;
        line[length] = '\0';
        return WB_OK;
    }
    return refuse(check, "not a certificate: a line of the heading is too long");
}

/* Reads a line with a number of at most `most` behind a word. */
static wb_status read_number(struct check *check, const char *word, uint64_t most, uint64_t *number) {
    char line[LINE_BYTES];
    WB_TRY(read_line(check, line));
    size_t skipped = strlen(word);
    const char *digits = line + skipped;
    bool valid = strncmp(line, word, skipped) == 0 && strspn(digits, "0123456789") == strlen(digits) &&
                 number_u64(digits, strlen(digits), number) && *number <= most;
    if (valid) return WB_OK;
    diagnose(check->diagnostics, SEVERITY_ERROR, check->name,
             "expected a line \"%sN\" with a number of at most %" PRIu64, word, most);
    return WB_ERR_INPUT;
}

/* Reads the witness and checks it. */
static wb_status check_witness(struct check *check) {
    struct witness *witness = &check->proof->witness;
    uint64_t size;
    WB_TRY(read_number(check, CERTIFICATE_WITNESS, YTREE_SIZE_MAX, &size));
    char *text = arena_alloc(&check->arena, size + 1);
    WB_TRY(gzip_read(&check->reader, text, size));
    WB_TRY(witness_file_parse(check->name, text, size, check->diagnostics, witness));
    return schedule_check(&witness->problem, &witness->schedule, check->name, check->diagnostics);
}

/* Reads the values of a table: 16 bits each, the lower byte first. */
static wb_status read_values(struct check *check, struct stage_table *table) {
    uint8_t *bytes = arena_alloc(&check->arena, 2 * VALUES_AT_ONCE);
    for (uint64_t start = 0; start < table->cells; start += VALUES_AT_ONCE) {
        size_t count =
            table->cells - start < VALUES_AT_ONCE ? (size_t)(table->cells - start) : VALUES_AT_ONCE;
        WB_TRY(gzip_read(&check->reader, bytes, 2 * count));
        for (size_t i = 0; i < count; i++)
            table->values[start + i] = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
    }
    return WB_OK;
}

static wb_status too_large(const struct check *check) {
    diagnose(check->diagnostics, SEVERITY_ERROR, check->name,
             "the tables for this problem take more than the %" PRIu64 " MiB there are for them",
             check->memory >> 20);
    return WB_ERR_LIMIT;
}

/* Makes the tables that the problem and the size of the tail call for, before anything of them is read. */
static wb_status make_tables(struct check *check) {
    const struct makespan_problem *problem = &check->proof->witness.problem;
    uint32_t warps = check->proof->tail_warps;
    if (!stage_table_of_positions(problem, warps, check->memory, &check->arena, &check->tail))
        return too_large(check);
    check->proof->states = check->tail.cells;
    if (warps == problem->warp_count) return WB_OK;
    uint64_t memory = check->memory - check->tail.cells * sizeof *check->tail.values;
    if (!stage_table_of_runs(problem, memory, &check->arena, &check->runs)) return too_large(check);
    check->proof->cells = check->runs.cells;
    return WB_OK;
}

/* The message that a composition is wrong; always WB_ERR_INPUT. */
static wb_status wrong_composition(const struct check *check, const struct stage_walk *walk, const char *what,
                                   const char *reason) {
    struct text where = {0};
    for (uint32_t j = 0; j < walk->table->stage_count; j++)
        text_printf(&where, " %u", walk->counts[j]);
    diagnose(check->diagnostics, SEVERITY_ERROR, check->name,
             "proves nothing: with warps in the %s as in%.200s, %s", what, where.failed ? "" : where.data,
             reason);
    text_free(&where);
    return WB_ERR_INPUT;
}

/* Checks that no successor of a state or cell with more than `graded` warps has as much left. */
static wb_status check_inequality(struct check *check, const struct stage_table *table, uint32_t graded,
                                  const char *what) {
    const uint64_t wrong = certificate_inequality_check(table, graded, check->threads, &check->arena);
    if (wrong == UINT64_MAX) return WB_OK;
    struct stage_walk walk;
    stage_walk_make(table, &check->arena, &walk);
    while (walk.number < wrong && stage_walk_next(&walk)) {
    }
    return wrong_composition(check, &walk, what, "a value is not more than that of a successor");
}

/* The cell of the run abstraction that a state lies in; false when a group has more warps in it than it has.
 * `counts` has room for the runs. */
static bool find_cell(const struct stage_table *runs, const uint32_t *state, uint32_t *counts,
                      uint64_t *cell) {
    uint64_t at = 0;
    uint32_t rest = 0;
    for (uint32_t j = 0; j < runs->stage_count; j++) {
        const struct stage *run = &runs->stages[j];
        if (j == 0 || runs->stages[j - 1].last) rest = runs->pools[run->pool];
        uint64_t left = 0; /* instructions of the run beyond one of each warp */
        counts[j] = 0;
        for (uint32_t i = 0; i < run->length; i++) {
            left += counts[j];
            counts[j] += state[run->first + i];
        }
        if (counts[j] > rest) return false;
        rest -= counts[j];
        at = at * (1 + (uint64_t)counts[j] * (run->length - 1)) + left;
    }
    *cell = stage_table_cell(runs, counts) + at;
    return true;
}

/* Checks that no state of the tail has more left than its cell says (T3). */
static wb_status check_graded(struct check *check) {
    const struct stage_table *runs = &check->runs;
    uint32_t *counts = arena_array(&check->arena, runs->stage_count, sizeof *counts);
    struct stage_walk walk;
    stage_walk_make(&check->tail, &check->arena, &walk);
    while (stage_walk_next(&walk)) {
        uint64_t cell;
        if (!find_cell(runs, walk.counts, counts, &cell)) continue;
        assert(cell < runs->cells && walk.cell < check->tail.cells);
        if (runs->values[cell] < check->tail.values[walk.cell])
            return wrong_composition(check, &walk, "positions", "the value of their cell is too low");
    }
    return WB_OK;
}

/* The bound of the initial state: all warps are at their first position. */
static wb_status take_upper(struct check *check) {
    const struct makespan_problem *problem = &check->proof->witness.problem;
    bool tail_only = check->proof->tail_warps == problem->warp_count;
    const struct stage_table *table = tail_only ? &check->tail : &check->runs;
    uint32_t *counts = arena_array(&check->arena, table->stage_count, sizeof *counts);
    for (uint32_t j = 0, g = 0; j < table->stage_count; j++)
        if (j == 0 || table->stages[j - 1].last) counts[j] = problem->groups[g++].warps;
    /* The last of its cells: each warp has all instructions of its first run left. */
    uint64_t cell = stage_table_cell(table, counts) + stage_table_extent(table, counts) - 1;
    check->proof->upper = table->values[cell];
    if (check->proof->upper >= check->proof->witness.schedule.makespan) return WB_OK;
    return refuse(check, "contradicts itself: the witness takes longer than the tables allow");
}

/* Reads everything, then proves it. */
static wb_status check_all(struct check *check) {
    char line[LINE_BYTES];
    uint64_t tail_warps;
    WB_TRY(read_line(check, line));
    if (strcmp(line, CERTIFICATE_TITLE) != 0)
        return refuse(check, "not a certificate: expected \"" CERTIFICATE_TITLE "\" in the first line");
    WB_TRY(check_witness(check));
    WB_TRY(read_number(check, CERTIFICATE_TAIL, check->proof->witness.problem.warp_count, &tail_warps));
    check->proof->tail_warps = (uint32_t)tail_warps;
    WB_TRY(make_tables(check));
    WB_TRY(read_values(check, &check->tail));
    WB_TRY(read_values(check, &check->runs));
    WB_TRY(gzip_read_end(&check->reader));
    WB_TRY(check_inequality(check, &check->tail, 0, "positions"));
    if (check->runs.cells > 0) {
        WB_TRY(check_graded(check));
        WB_TRY(check_inequality(check, &check->runs, check->proof->tail_warps, "runs"));
    }
    return take_upper(check);
}

static void check_in_arena(void *context) {
    struct check *check = context;
    check->status = check_all(check);
}

wb_status certificate_check(const char *name, const char *bytes, size_t size, uint64_t memory,
                            uint32_t threads, wb_diagnostics *diagnostics, struct certificate_proof *proof) {
    struct check check = {
        .name = name, .diagnostics = diagnostics, .memory = memory, .threads = threads, .proof = proof};
    *proof = (struct certificate_proof){0};
    WB_TRY(gzip_reader_open(name, bytes, size, diagnostics, &check.reader));
    if (arena_protect(&check.arena, check_in_arena, &check) != WB_OK)
        check.status = diagnose_out_of_memory(diagnostics, name);
    gzip_reader_close(&check.reader);
    arena_free(&check.arena);
    return check.status;
}

void certificate_proof_free(struct certificate_proof *proof) {
    witness_free(&proof->witness);
}
