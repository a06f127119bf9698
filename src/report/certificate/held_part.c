#include "bound/sass/atomics.h"
#include "report/certificate/parts.h"

#include <inttypes.h>

static void put_held(struct text *out, uint64_t times, cycles each, const char *what) {
    if (times > 0 && each > 0) text_printf(out, "held %" PRIu64 " %" PRIu64 " # %s\n", times, each, what);
}

void held_part_services(struct text *out, const struct memory_work *work, uint64_t misses) {
    const struct machine_memory *memory = &work->machine->memory;
    const struct memory_counts counts = memory_work_counts(work, misses, &work->total.requests);
    put_held(out, counts.below, memory->l2_service, "misses and writes, served by the second level");
    put_held(out, counts.fetches, memory->dram_service, "fetches from DRAM");
    put_held(out, counts.write_backs, memory->dram_service, "lines written back");
}

/* An isolated block on a machine with caches: docs/memory-bounds.md, theorem 6. */
static void put_caches(struct text *out, const struct memory_work *work) {
    const struct request_counts *requests = &work->total.requests;
    const struct memory_counts counts = memory_work_counts(work, requests->misses, requests);
    held_part_services(out, work, requests->misses);
    put_held(out, counts.answers, work->machine->memory.reply_service, "answers");
    put_held(out, counts.stalls, 1, "stalls of the first level");
}

void held_part_machine(struct text *out, const wb_analysis *analysis) {
    const struct machine_memory *memory = &analysis->machine->memory;
    if (analysis->kind == SUBJECT_CACHED_BLOCK) put_caches(out, &analysis->memory);
    if (analysis->kind == SUBJECT_CONTENDED_BLOCK)
        put_held(out, analysis->load.requests, memory->service, "requests, served by the memory");
    if (analysis->kind == SUBJECT_KERNEL && analysis->work.contention.wait == 0)
        put_held(out, analysis->work.contention.requests, memory->service, "requests, served by the memory");
    put_held(out, analysis->atomics, analysis->machine->sass.atomic_word, "atomics, in turn");
    if (analysis->kind != SUBJECT_KERNEL) put_held(out, analysis->fetch_time, 1, "instruction fetch");
}

static void put_ports(struct text *out, uint32_t units) {
    for (uint32_t u = 0; u < MACHINE_UNITS_MAX; u++)
        if ((units >> u & 1) != 0) text_printf(out, "port %" PRIu32 "\n", u);
}

/* Requests of a block that are held back, where only so many of an SM may be on their way, and leave it by
 * `units` (lemma 6 there). */
static void put_stalls(struct text *out, const struct wb_machine *machine, const struct request_load *load,
                       const struct contention *of_sm) {
    if (request_stalls(&machine->memory, load, of_sm->in_flight, of_sm->wait) == 0) return;
    const bool several = request_ports_several(machine, of_sm->units);
    const cycles turns = cycles_mul(load->requests, several ? machine->memory.request_cycles : 0);
    text_printf(out, "stalled %" PRIu64 " %" PRIu64 " %" PRIu32 " # cycles on their way, turns, at a time\n",
                cycles_add(load->returns, cycles_mul(load->requests, of_sm->wait)), turns,
                machine->memory.outstanding);
    put_ports(out, of_sm->units);
}

void held_part_block(struct text *out, const wb_analysis *analysis) {
    const struct request_load *load = &analysis->load;
    const struct contention alone = {.in_flight = load->in_flight, .units = load->units};
    if (analysis->kind == SUBJECT_CACHED_BLOCK) put_ports(out, analysis->memory.request_units);
    if (analysis->kind == SUBJECT_CONTENDED_BLOCK) put_stalls(out, analysis->machine, load, &alone);
}

void held_part_class(struct text *out, const struct grid_work *work, const struct block_class *class) {
    put_stalls(out, work->machine, &class->load, &work->contention);
}
