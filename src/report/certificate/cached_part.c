#include "report/certificate/parts.h"

#include <inttypes.h>

#include "base/containers.h"
#include "bound/analysis/registry.h"
#include "bound/cache/access_latencies.h"
#include "bound/method/beside.h"
#include "memory/requests/requests.h"
#include "warp/timed/timed.h"
#include "warp/trace/blocks.h"

/* ---- Blocked cycles ---------------------------------------------------------------------------------- */

/* What certificates say of each kind of it, be it nothing. */
enum held_by {
    HELD_L2,
    HELD_DRAM,
    HELD_WRITE_BACKS,
    HELD_ANSWERS,
    HELD_L1_STALLS,
    HELD_REQUESTS,
    HELD_ATOMICS,
    HELD_TRANSLATIONS,
    HELD_DRAM_SECTORS,
    HELD_L2_SECTORS,
    HELD_FETCH,
    HELD_KINDS
};

struct held {
    uint64_t times;
    cycles each;
};

static void put_held(struct text *out, const struct held held[HELD_KINDS]) {
    static const char *const names[HELD_KINDS] = {
        [HELD_L2] = "l2",
        [HELD_DRAM] = "dram",
        [HELD_WRITE_BACKS] = "write-backs",
        [HELD_ANSWERS] = "answers",
        [HELD_L1_STALLS] = "l1-stalls",
        [HELD_REQUESTS] = "requests",
        [HELD_ATOMICS] = "atomics",
        [HELD_TRANSLATIONS] = "translations",
        [HELD_DRAM_SECTORS] = "dram-sectors",
        [HELD_L2_SECTORS] = "l2-sectors",
        [HELD_FETCH] = "fetch",
    };
    for (int kind = 0; kind < HELD_KINDS; kind++)
        text_printf(out, "held %s %" PRIu64 " %" PRIu64 "\n", names[kind], held[kind].times, held[kind].each);
}

static void count_services(const struct memory_work *work, uint64_t misses, struct held held[HELD_KINDS]) {
    const struct machine_memory *memory = &work->machine->memory;
    const struct memory_counts counts = memory_work_counts(work, misses, &work->total.requests);
    held[HELD_L2] = (struct held){counts.below, memory->l2_service}; /* misses and writes */
    held[HELD_DRAM] = (struct held){counts.fetches, memory->dram_service};
    held[HELD_WRITE_BACKS] = (struct held){counts.write_backs, memory->dram_service};
}

/* docs/memory-bounds.md, theorem 6 */
static void count_cached(const wb_analysis *analysis, struct held held[HELD_KINDS]) {
    const struct request_counts *requests = &analysis->memory.total.requests;
    const struct memory_counts counts = memory_work_counts(&analysis->memory, requests->misses, requests);
    count_services(&analysis->memory, requests->misses, held);
    held[HELD_ANSWERS] = (struct held){counts.answers, analysis->machine->memory.reply_service};
    held[HELD_L1_STALLS] = (struct held){counts.stalls, 1};
}

void held_part_machine(struct text *out, const wb_analysis *analysis) {
    const cycles service = analysis->machine->memory.service;
    const struct beside_times beside = beside_times_of(analysis->machine, &analysis->beside);
    struct held held[HELD_KINDS] = {{0, 0}};
    if (analysis->kind == SUBJECT_CACHED_GRID) return; /* what blocks ask for is known when they are */
    if (analysis->kind == SUBJECT_CACHED_BLOCK) count_cached(analysis, held);
    if (analysis->kind == SUBJECT_CONTENDED_BLOCK)
        held[HELD_REQUESTS] = (struct held){analysis->load.requests, service};
    if (analysis->kind == SUBJECT_KERNEL && analysis->work.contention.wait == 0)
        held[HELD_REQUESTS] = (struct held){analysis->work.contention.requests, service};
    held[HELD_ATOMICS] = (struct held){analysis->beside.atomics, analysis->machine->sass.atomic_word};
    held[HELD_TRANSLATIONS] = (struct held){beside.translations, 1};
    held[HELD_DRAM_SECTORS] = (struct held){beside.sectors, 1};
    held[HELD_L2_SECTORS] = (struct held){beside.requests, 1};
    if (analysis->kind != SUBJECT_KERNEL) held[HELD_FETCH] = (struct held){analysis->fetch_time, 1};
    put_held(out, held);
}

static void put_ports(struct text *out, uint32_t units) {
    for (uint32_t u = 0; u < MACHINE_UNITS_MAX; u++)
        if ((units >> u & 1) != 0) text_printf(out, " %u", u);
    text_string(out, units == 0 ? " -\n" : "\n");
}

/* Requests of a block that are held back, where only so many of an SM may be on their way, and leave it by
 * `units` (lemma 6 there). */
static void put_stalls(struct text *out, const struct wb_machine *machine, const struct request_load *load,
                       const struct contention *of_sm) {
    if (request_stalls(&machine->memory, load, of_sm->in_flight, of_sm->wait) == 0) {
        text_string(out, "stalled 0 0 1 -\n");
        return;
    }
    const bool several = request_ports_several(machine, of_sm->units);
    const cycles turns = cycles_mul(load->requests, several ? machine->memory.request_cycles : 0);
    text_printf(out, "stalled %" PRIu64 " %" PRIu64 " %u",
                cycles_add(load->returns, cycles_mul(load->requests, of_sm->wait)), turns,
                machine->memory.outstanding);
    put_ports(out, of_sm->units);
}

void held_part_block(struct text *out, const wb_analysis *analysis) {
    const struct request_load *load = &analysis->load;
    const struct contention alone = {.in_flight = load->in_flight, .units = load->units};
    if (analysis->kind == SUBJECT_CONTENDED_BLOCK) {
        put_stalls(out, analysis->machine, load, &alone);
        return;
    }
    text_string(out, "stalled 0 0 1");
    put_ports(out, analysis->kind == SUBJECT_CACHED_BLOCK ? analysis->memory.request_units : 0);
}

void held_part_class(struct text *out, const struct grid_work *work, const struct block_class *class) {
    const cycles requests = work->machine->fills.held;
    put_stalls(out, work->machine, &class->load, &work->contention);
    if (requests > 0)
        text_printf(out, "stalled %" PRIu64 " 0 1 - # what it asks the second level for\n", requests);
}

/* ---- Grids on machines with caches ------------------------------------------------------------------- */

/* Kinds of blocks that are written at most. */
#define KINDS_MAX 1024u

/* Blocks of one variant whose accesses have the same latencies are of one kind. */
struct cached_writer {
    struct certificate *certificate;
    const struct memory_work *work;
    wb_diagnostics *diagnostics;
    struct arena arena;
    struct intern kinds;  /* as their variant and latencies */
    VEC(uint32_t) firsts; /* per kind its first block */
    uint32_t *kind_of;    /* per block of the grid */
    uint64_t *counts;     /* per kind its blocks */
    struct sm_work *sms;
    struct text served; /* of scheme reorder what SMs serve, in its order */
};

/* ---- Which blocks are alike ---------------------------------------------------------------------------- */

static wb_status note_block(struct cached_writer *writer, const struct must_hits *hits, uint32_t block) {
    const struct timed_grid *timed = writer->work->timed;
    const uint64_t count = accesses_of_block(timed, block);
    struct arena scratch = {0};
    bool is_new = false;
    uint32_t *key = arena_array(&scratch, count + 1, sizeof *key);
    wb_status status = key == NULL ? WB_ERR_LIMIT : WB_OK;
    if (status == WB_OK) {
        key[0] = timed->traffic.block_variants[block];
        if (hits != NULL) access_latencies(timed, hits, block, key + 1);
        status =
            intern_copy(&writer->kinds, key, (count + 1) * sizeof *key, &writer->kind_of[block], &is_new);
    }
    if (status == WB_OK && is_new) status = vec_push(&writer->firsts, block);
    arena_free(&scratch);
    return status;
}

/* The blocks of an SM, and how many of their loads miss. */
static wb_status note_sm(struct cached_writer *writer, uint32_t sm) {
    const struct memory_work *work = writer->work;
    const struct sm_share share = {sm, work->machine->memory.sms, work->resident};
    struct must_hits hits;
    wb_status status =
        must_hits_make(&work->timed->traffic, &work->timed->code, &share, writer->diagnostics, &hits);
    for (uint64_t b = sm; status == WB_OK && b < work->block_count; b += share.sms)
        status = note_block(writer, &hits, (uint32_t)b);
    writer->sms[sm].work.requests.misses = hits.misses.load_misses;
    must_hits_free(&hits);
    return status;
}

/* Of scheme reorder: the method knows what is served when. Blocks of one variant are alike. */
static wb_status note_order(struct cached_writer *writer) {
    const struct bound_method *method;
    for (size_t m = 0; (method = bound_method_at(m)) != NULL && method->certify == NULL;)
        m++;
    if (method == NULL) return WB_ERR_DECLINED;
    for (uint32_t b = 0; b < writer->work->block_count; b++)
        WB_TRY(note_block(writer, NULL, b));
    return method->certify(writer->work, writer->diagnostics, &writer->served, writer->sms);
}

static wb_status note_sms(struct cached_writer *writer) {
    for (uint32_t s = 0; s < memory_work_sms(writer->work); s++)
        WB_TRY(note_sm(writer, s));
    return WB_OK;
}

static wb_status note_blocks(struct cached_writer *writer) {
    const struct memory_work *work = writer->work;
    writer->kind_of = arena_array(&writer->arena, (size_t)work->block_count + 1, sizeof *writer->kind_of);
    writer->sms = memory_work_of_sms(work, &writer->arena);
    if (writer->kind_of == NULL || writer->sms == NULL) return WB_ERR_LIMIT;
    WB_TRY(work->scheme->reorder ? note_order(writer) : note_sms(writer));
    writer->counts = arena_array(&writer->arena, writer->firsts.count + 1, sizeof *writer->counts);
    if (writer->counts == NULL) return WB_ERR_LIMIT;
    for (uint32_t b = 0; b < work->block_count; b++)
        writer->counts[writer->kind_of[b]]++;
    if (writer->firsts.count <= KINDS_MAX) return WB_OK;
    diagnose(writer->diagnostics, SEVERITY_ERROR, "certificate",
             "no bound is claimed: the blocks are of more than %u kinds", KINDS_MAX);
    return WB_ERR_DECLINED;
}

/* ---- What is written ----------------------------------------------------------------------------------- */

/* The paths of the warps in the order of their turns. */
static void put_turns(struct text *out, const struct timed_block *block) {
    text_string(out, "turns");
    for (uint32_t w = 0; w < block->warp_count; w++)
        text_printf(out, " %u", block->warp_path[w]);
    text_char(out, '\n');
}

/* How many instructions of each warp make requests: one of several accesses has them one behind the other. */
static void put_accesses(struct text *out, const struct timed_grid *timed, uint32_t block) {
    text_string(out, "accesses");
    for (uint32_t w = 0; w < timed->grid->warp_count; w++) {
        const struct traffic_pattern *pattern = traffic_pattern_of(&timed->traffic, block, w);
        uint64_t count = 0, last = UINT64_MAX;
        for (uint32_t a = 0; a < pattern->access_count; a++) {
            if (pattern->accesses[a].request_count == 0 || pattern->accesses[a].step == last) continue;
            last = pattern->accesses[a].step;
            count++;
        }
        text_printf(out, " %" PRIu64, count);
    }
    text_char(out, '\n');
}

static wb_status put_kind(struct cached_writer *writer, uint32_t kind) {
    const struct timed_grid *timed = writer->work->timed;
    const uint32_t *key = (const uint32_t *)(const void *)writer->kinds.entries.items[kind].text;
    const uint32_t first = writer->firsts.items[kind];
    struct execution_cost *costs = NULL;
    struct timed_block made = {0};
    struct wb_block *block = NULL;
    char name[32];
    (void)text_format(name, sizeof name, "block-%u", first);
    WB_TRY(grid_block_make(timed->grid, first, writer->diagnostics, &block));
    block->covering = timed->grid->cover.covers;
    wb_status status = access_costs_make(block, timed->machine, writer->diagnostics, &costs);
    if (status == WB_OK) {
        if (!writer->work->scheme->reorder)
            access_latencies_set(key + 1, accesses_of_block(timed, first), costs);
        access_initiations_set(timed, first, costs);
        status = timed_block_from(block, timed->machine, costs, writer->diagnostics, &made);
    }
    if (status == WB_OK)
        status = certificate_put_block(writer->certificate, name, &made, writer->diagnostics);
    text_string(&writer->certificate->text, "stalled 0 0 1 -\n"); /* memory is held as a whole */
    if (writer->work->scheme != gpu_scheme_at(0)) put_turns(&writer->certificate->text, &made);
    if (writer->work->scheme->reorder) put_accesses(&writer->certificate->text, timed, first);
    timed_block_free(&made);
    free(costs);
    wb_block_free(block);
    return status;
}

/* Times that memory adds on single SMs: answers to their requests, and stalls of their first levels. */
static void put_sms(struct cached_writer *writer) {
    const struct machine_memory *memory = &writer->work->machine->memory;
    for (uint32_t s = 0; s < memory_work_sms(writer->work); s++) {
        const struct request_counts *requests = &writer->sms[s].work.requests;
        const struct memory_counts counts = memory_work_counts(writer->work, 0, requests);
        text_printf(&writer->certificate->text, "held-sm %u %" PRIu64 " %u %" PRIu64 "\n", s, counts.answers,
                    memory->reply_service, counts.stalls);
    }
}

static wb_status put_grid(struct cached_writer *writer) {
    const struct machine_memory *memory = &writer->work->machine->memory;
    struct text *out = &writer->certificate->text;
    struct held held[HELD_KINDS] = {{0, 0}};
    uint64_t misses = 0;
    for (uint32_t s = 0; s < memory_work_sms(writer->work); s++)
        misses = cycles_add(misses, writer->sms[s].work.requests.misses);
    count_services(writer->work, misses, held);
    put_held(out, held);
    for (uint32_t k = 0; k < writer->firsts.count; k++)
        WB_TRY(put_kind(writer, k));
    text_printf(out, "grid %u %u %u %u 0\nfetching 0 0 0 1 0\n", memory->sms, writer->work->resident,
                writer->work->resident, memory->dispatch_latency);
    for (uint32_t k = 0; k < writer->firsts.count; k++)
        text_printf(out, "class %u %" PRIu64 "\nfetches 0\n", k, writer->counts[k]);
    certificate_put_order(out, writer->kind_of, writer->work->block_count);
    put_sms(writer);
    if (writer->served.length > 0) text_append(out, writer->served.data, writer->served.length);
    return writer->served.failed ? WB_ERR_LIMIT : WB_OK;
}

wb_status certificate_put_cached(struct certificate *certificate, const wb_analysis *analysis,
                                 wb_diagnostics *diagnostics) {
    struct cached_writer writer = {
        .certificate = certificate, .work = &analysis->memory, .diagnostics = diagnostics};
    wb_status status = note_blocks(&writer);
    if (status == WB_OK) status = put_grid(&writer);
    intern_free(&writer.kinds);
    vec_free(&writer.firsts);
    text_free(&writer.served);
    arena_free(&writer.arena);
    return status;
}
