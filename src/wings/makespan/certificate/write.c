#include "wings/makespan/certificate/write.h"

#include "base/gzip.h"
#include "wings/makespan/certificate/certificate.h"
#include "wings/makespan/exact/layer_search.h"
#include "wings/makespan/exact/run_table.h"
#include "wings/makespan/strings/witness_file.h"

/* How many values are given to zlib at a time. */
#define VALUES_AT_ONCE 4096u

/* How many compositions are written between two questions whether to go on. */
#define WRITE_POLL 256u

/* A tail has at most this part of the memory; its run table has the rest. */
#define TAIL_MEMORY_PART 4u

/* The last tail that is tried may have so many times the states that "exact" allows: that method has a search
 * to close the interval, a certificate has not. */
#define TAIL_STATES_FACTOR 5u

struct certificate_writer {
    const struct makespan_run *run;
    const struct schedule *witness;
    struct arena arena; /* of the tables; protected while they are made */
    const struct exact_limits *limits;
    const char *path;
    struct run_list runs;
    struct exact_tail tail;
    struct run_table table; /* none where the tail has all warps */
    struct gzip_writer file;
    uint8_t bytes[2 * VALUES_AT_ONCE]; /* values that are not written yet */
    size_t count;
    uint32_t *slots; /* zeros, for the walk through the tail */
    uint32_t upper;  /* what the tables prove */
};

static wb_status stopped(const struct certificate_writer *writer) {
    diagnose(writer->run->diagnostics, SEVERITY_WARNING, writer->path,
             "stopped by the user: the certificate has not been written");
    return WB_ERR_LIMIT;
}

static wb_status too_large(const struct certificate_writer *writer) {
    diagnose(
        writer->run->diagnostics, SEVERITY_ERROR, writer->path,
        "a certificate for this problem needs larger tables than fit the memory: it has not been written");
    return WB_ERR_LIMIT;
}

/* Whether tables with a tail of so many warps, and a run table of at most so many cells, fit the memory. */
static bool tables_fit(const struct certificate_writer *writer, uint32_t warps, uint64_t most_cells) {
    uint64_t memory = makespan_memory(writer->run->settings);
    if (warps == 0) return false;
    memory -= exact_tail_size(writer->run->problem, warps);
    if (warps == writer->run->problem->warp_count) return true;
    const struct run_table_size size = run_table_measure(&writer->runs, &writer->arena);
    return size.cells <= most_cells && size.layout_bytes <= memory &&
           size.cells <= (memory - size.layout_bytes) / sizeof(int16_t);
}

/* The most warps, up to `most`, of a tail with so many states; 0 where there is none. */
static uint32_t tail_warps(const struct certificate_writer *writer, uint32_t most, uint64_t states) {
    uint64_t memory = makespan_memory(writer->run->settings) / TAIL_MEMORY_PART;
    return exact_tail_warps(writer->run->problem, most, states, memory);
}

/* Makes the tables, which are known to fit, in place of those there are. */
static wb_status make_tables(struct certificate_writer *writer, uint32_t warps) {
    const struct makespan_run *run = writer->run;
    const struct makespan_problem *problem = run->problem;
    struct arena *arena = &writer->arena;
    arena_free(arena);
    run_list_make(problem, arena, &writer->runs);
    if (!exact_tail_make(run, warps, arena, &writer->tail)) return stopped(writer);
    writer->slots = arena_array(arena, writer->tail.slot_count, sizeof *writer->slots);
    if (warps == problem->warp_count) {
        uint16_t *counts = arena_array(arena, problem->position_count, sizeof *counts);
        state_initial(problem, counts);
        writer->upper = exact_tail_cycles(&writer->tail, counts);
        return WB_OK;
    }
    const enum run_table_outcome outcome =
        run_table_make(run, &writer->runs, &writer->tail, true, UINT64_MAX, arena, &writer->table);
    writer->upper = writer->table.initial;
    return outcome == RUN_TABLE_STOPPED ? stopped(writer) : WB_OK;
}

/* Makes the tables with a small tail and, while they do not prove that no schedule is longer than the
 * witness, with larger ones. */
static wb_status choose_tables(void *context) {
    struct certificate_writer *writer = context;
    const struct exact_limits *limits = writer->limits;
    run_list_make(writer->run->problem, &writer->arena, &writer->runs);
    uint32_t warps = tail_warps(writer, limits->tail_warps, limits->tail_states);
    if (!tables_fit(writer, warps, limits->table_cells)) return too_large(writer);
    WB_TRY(make_tables(writer, warps));
    for (uint64_t factor = 1; factor <= TAIL_STATES_FACTOR && writer->upper > writer->witness->makespan;
         factor *= TAIL_STATES_FACTOR) {
        warps = tail_warps(writer, limits->tail_warps_later, limits->tail_states * factor);
        if (warps <= writer->tail.warps || !tables_fit(writer, warps, limits->table_cells_anew)) continue;
        WB_TRY(make_tables(writer, warps));
    }
    return WB_OK;
}

static void flush(struct certificate_writer *writer) {
    gzip_write(&writer->file, writer->bytes, writer->count);
    writer->count = 0;
}

/* Writes a value: 16 bits, the lower byte first. */
static void put_value(struct certificate_writer *writer, uint16_t value) {
    writer->bytes[writer->count++] = (uint8_t)value;
    writer->bytes[writer->count++] = (uint8_t)(value >> 8);
    if (writer->count == sizeof writer->bytes) flush(writer);
}

/* Writes the states of the tail, which are numbered in the order of the file but for those with warps in
 * gaps. */
static void put_tail(struct certificate_writer *writer) {
    const struct exact_tail *tail = &writer->tail;
    uint32_t *counts = writer->slots;
    uint32_t rest = tail->warps;
    uint64_t number = 0;
    do {
        bool in_gap = false;
        for (uint32_t slot = 0; slot < tail->slot_count; slot++)
            in_gap |= counts[slot] > 0 && tail->position[slot] == UINT32_MAX;
        if (!in_gap) put_value(writer, tail->cycles[number]);
        number++;
    } while (multiset_next(&tail->rank, counts, &rest));
    flush(writer);
}

/* Writes the cells of one composition: in the order of runs, where the table has one of axes. */
static void put_cells(struct certificate_writer *writer, const struct composition *composition) {
    const struct run_layout *layout = &writer->table.layout;
    const struct run_list *runs = &writer->runs;
    const int16_t *cell = run_table_cells(&writer->table, composition);
    uint64_t stride[LAYOUT_RUNS_MAX] = {0};
    uint32_t at[LAYOUT_RUNS_MAX] = {0};
    uint64_t next_stride = 1;
    for (uint32_t a = layout->axis_count; a-- > 0;) {
        uint32_t j = layout->axes[a];
        stride[j] = next_stride;
        next_stride *= 1 + (uint64_t)run_slack(&runs->items[j], composition->in_run[j]);
    }
    for (;;) {
        put_value(writer, (uint16_t)*cell);
        uint32_t j = runs->count;
        while (j > 0 && at[j - 1] == run_slack(&runs->items[j - 1], composition->in_run[j - 1])) {
            j--;
            cell -= at[j] * stride[j];
            at[j] = 0;
        }
        if (j == 0) return;
        at[j - 1]++;
        cell += stride[j - 1];
    }
}

/* Compositions are numbered in the order of the file. */
static wb_status put_table(struct certificate_writer *writer) {
    const struct run_layout *layout = &writer->table.layout;
    struct composition composition;
    for (uint64_t number = 0; number < layout->composition_count; number++) {
        composition_at(layout, number, &composition);
        put_cells(writer, &composition);
        if (number % WRITE_POLL == 0 &&
            !makespan_goes_on(writer->run, "certificate", number, layout->composition_count))
            return stopped(writer);
    }
    flush(writer);
    return WB_OK;
}

/* Writes everything to the file. */
static wb_status put_certificate(struct certificate_writer *writer) {
    const struct makespan_run *run = writer->run;
    struct text schedule = {0};
    struct text heading = {0};
    WB_TRY(witness_file_print(run->problem, writer->witness, run->diagnostics, &schedule));
    text_printf(&heading, CERTIFICATE_TITLE "\n" CERTIFICATE_WITNESS "%zu\n", schedule.length);
    text_append(&heading, schedule.data, schedule.length);
    text_printf(&heading, CERTIFICATE_TAIL "%u\n", writer->tail.warps);
    wb_status status = heading.failed ? makespan_no_memory(run) : WB_OK;
    if (status == WB_OK) gzip_write(&writer->file, heading.data, heading.length);
    text_free(&schedule);
    text_free(&heading);
    WB_TRY(status);
    put_tail(writer);
    return writer->tail.warps < run->problem->warp_count ? put_table(writer) : WB_OK;
}

wb_status certificate_write(const struct makespan_run *run, const struct exact_limits *limits,
                            const struct schedule *witness, const char *path, uint32_t *upper) {
    struct certificate_writer writer = {.run = run, .limits = limits, .witness = witness, .path = path};
    wb_status status = makespan_with_memory(run, &writer.arena, choose_tables, &writer);
    if (status == WB_OK) status = gzip_writer_open(path, run->diagnostics, &writer.file);
    if (status == WB_OK) {
        status = put_certificate(&writer);
        wb_status closed = gzip_writer_close(&writer.file, status == WB_OK, run->diagnostics);
        if (status == WB_OK) status = closed;
    }
    *upper = writer.upper;
    arena_free(&writer.arena);
    return status;
}
