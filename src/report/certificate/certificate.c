/* Certificates of times: what bounds are claimed, of which block or grid, so that warpbound-check
 * (check/) can compute them anew (docs/certificates.md). */
#include <inttypes.h>
#include <string.h>

#include "base/containers.h"
#include "bound/analysis/analysis.h"
#include "bound/grid/block_classes.h"
#include "bound/kernel/kernel_bounds.h"
#include "bound/kernel/wave.h"
#include "bound/method/beside.h"
#include "report/certificate/parts.h"

/* Why there is none of PTX, or NULL. */
static const char *ptx_objection(const wb_analysis *analysis) {
    const struct memory_work *work = &analysis->memory;
    const bool can_stall = fetch_can_stall(&analysis->machine->fetch);
    if (machine_unproven(analysis->machine) != NULL) return machine_unproven(analysis->machine);
    const bool is_kernel =
        analysis->kind == SUBJECT_KERNEL && !memory_is_contended(&analysis->machine->memory);
    if (can_stall && analysis->kind != SUBJECT_BLOCK && !is_kernel)
        return "no proof covers instruction fetch beside caches of data, or beside one memory of all SMs";
    if (analysis->kind != SUBJECT_CACHED_GRID) return NULL;
    if (memory_dispatch_is_dynamic(&work->machine->memory))
        return "with caches there are certificates of kernels whose blocks go to fixed SMs; --block-index "
               "asks for one block";
    return NULL;
}

/* A kernel as the certificate shows it. */
struct shown_kernel {
    struct grid_work work; /* that of the analysis with other classes */
    const char **alone;    /* per class what shows least of a block that has an SM to itself, or NULL */
};

/* What certificates show, by what the machine times. */
static const struct certificate_model {
    const char *prefix; /* of methods */
    /* R1 to R7 are the rules of executions: these are shown, and what follows from the rules is claimed. */
    bool has_rules;
    const char *(*objection)(const wb_analysis *analysis); /* NULL: there is one of everything */
    void (*put_machine)(struct text *out, const struct wb_machine *machine);
    wb_status (*show)(const struct block_class *class, wb_diagnostics *diagnostics,
                      struct shown_kernel *shown);
    wb_status (*sum)(struct grid_work *shown); /* what is shown */
} models[ISA_COUNT];

static const struct certificate_model *model_of(const struct wb_machine *machine) {
    return &models[machine_isa(machine)];
}

static bool write_summed(void *user, const char *bytes, size_t size) {
    struct certificate *certificate = user;
    certificate->sum = checksum_add(certificate->sum, bytes, size);
    return certificate->out->write(certificate->out->user, bytes, size);
}

static void put_machine(struct text *out, const struct wb_machine *machine) {
    text_string(out, "machine ");
    if (machine->dispatch_depth == DEPTH_UNLIMITED)
        text_string(out, "unlimited");
    else
        text_printf(out, "%u", machine->dispatch_depth);
    text_printf(out, " %u %u %u\n", machine->sub_cores, machine->issue_width, machine->barrier_release);
    for (uint32_t u = 0; u < machine->unit_count; u++)
        text_printf(out, "unit %d %u # %s\n", machine->units[u].shared, machine->units[u].count,
                    machine->units[u].name);
}

static wb_status put_heading(struct certificate *certificate, const wb_analysis *analysis,
                             wb_diagnostics *diagnostics) {
    const struct wb_machine *machine = analysis->machine;
    struct text *out = &certificate->text;
    text_string(out, "warpbound timing certificate 3\n");
    WB_TRY(subject_part_put(out, analysis, diagnostics));
    for (size_t i = 0; wb_machine_setting(machine, i) != NULL; i++)
        text_printf(out, "# from --set %s\n", wb_machine_setting(machine, i));
    model_of(machine)->put_machine(out, machine);
    held_part_machine(out, analysis);
    return WB_OK;
}

/* Tables of the checker for aln: 128 MB. */
#define ALIGNED_TIMES_MAX ((uint64_t)1 << 24)

/* Work of aligning the blocks of a wave, which the checker does anew in some seconds. */
#define ALIGNED_WORK_MAX UINT64_C(1200000000)

/* Loops that the checker unrolls for fifo. */
#define UNROLLED_MAX ((uint64_t)1 << 24)

static uint64_t longest_path(const struct timed_block *block) {
    uint64_t longest = 0;
    for (uint32_t p = 0; p < block->path_count; p++)
        if (block->paths[p].length > longest) longest = block->paths[p].length;
    return longest;
}

/* Times of a warp that the checker keeps. */
static uint64_t times_of(const struct timed_block *block) {
    return block->code.register_count + 2 * (uint64_t)block->machine->unit_count + 2;
}

/* Whether the bound of a block can be recomputed. aln keeps a time of a warp for each instruction of another.
 * */
static bool is_checkable(const char *method, const struct timed_block *block) {
    if (strcmp(method, "aln") == 0) return longest_path(block) < ALIGNED_TIMES_MAX / times_of(block);
    return strcmp(method, "fifo") != 0 || longest_path(block) < UNROLLED_MAX;
}

/* Whether a bound of a block can be claimed. */
static bool is_claimed(const wb_bound *bound, const struct timed_block *block, const char *const *methods) {
    if (bound->kind != WB_UPPER || bound->cycles == CYCLES_SATURATED) return false;
    if (bound->reason != NULL) return false; /* aln that counts long sections as fib does */
    if (block != NULL && !is_checkable(bound->method, block)) return false;
    for (; *methods != NULL; methods++)
        if (strcmp(bound->method, *methods) == 0) return true;
    return false;
}

/* Whether it is less than the certificate shows, by facts that count passes of loops in all. */
static bool counts_passes(const wb_analysis *analysis, const wb_bound *bound) {
    const struct code_profile *code = &analysis->code;
    return strcmp(bound->method, "elb") == 0 && code->by_facts < cycles_add(code->work, code->latency);
}

static void put_claim(struct certificate *certificate, const char *prefix, const char *method,
                      cycles claimed) {
    text_printf(&certificate->text, "claim %s%s %" PRIu64 "\n", prefix, method, claimed);
    certificate->claims++;
}

/* Claims what was found by these methods; what the report says besides is a comment. */
static void claim_bounds(struct certificate *certificate, const wb_analysis *analysis,
                         const char *const *methods) {
    for (size_t b = 0; b < analysis->bounds.count; b++) {
        const wb_bound *bound = &analysis->bounds.items[b];
        if (is_claimed(bound, analysis->timed, methods) && !counts_passes(analysis, bound))
            put_claim(certificate, model_of(analysis->machine)->prefix, bound->method, bound->cycles);
        else if (bound->kind == WB_UPPER || bound->kind == WB_EXACT)
            text_printf(&certificate->text, "# reported: %s%s%s %" PRIu64 "\n", bound->method,
                        bound->form != NULL ? " by form " : "", bound->form != NULL ? bound->form : "",
                        bound->cycles);
    }
}

static wb_status put_block(struct certificate *certificate, const wb_analysis *analysis,
                           wb_diagnostics *diagnostics) {
    static const char *const methods[] = {"sib", "fib", "aln", "fifo", "elb", NULL};
    const bool keeps_rules = model_of(analysis->machine)->has_rules && analysis->kind == SUBJECT_BLOCK &&
                             !fetch_can_stall(&analysis->machine->fetch);
    cycles longest = 0;
    WB_TRY(certificate_put_block(certificate, "block", analysis->timed, diagnostics));
    held_part_block(&certificate->text, analysis);
    if (keeps_rules) WB_TRY(certificate_put_execution(certificate, analysis, diagnostics, &longest));
    if (longest > 0) put_claim(certificate, "", "lower", longest);
    claim_bounds(certificate, analysis, methods);
    return WB_OK;
}

/* ---- Kernels
 * ----------------------------------------------------------------------------------------------- */

/* The bound of a block, if it is less than what else is shown of one that has an SM to itself. Kernels count
 * fetches besides. */
static void take_min(const wb_bound *bound, cycles fetch, cycles *time, const char **method) {
    const cycles shown = cycles_sub(bound->cycles, fetch);
    if (shown >= *time) return;
    *time = shown;
    *method = bound->method;
}

/* The time that a certificate shows for a block that has an SM to itself: the least of elb, sib and fib, or
 * the result of *method, if that is less. */
static wb_status isolated_time(const struct block_class *class, wb_diagnostics *diagnostics, cycles *time,
                               const char **method) {
    /* fifo of paths says nothing of their parts. */
    const char *const asked = certificate_is_of_parts(class->timed) ? "aln" : "aln,fifo";
    static const char *const plain[] = {"elb", "sib", "fib", NULL}, *const sharp[] = {"aln", "fifo", NULL};
    const wb_bound by_sub_cores = {
        .method = "chain", .cycles = cycles_add(class->chain.shares[CHAIN_SECTIONS].work, class->latency)};
    const char *always; /* what is shown of every block has no name */
    wb_analysis *analysis = NULL;
    wb_status status = analysis_of_timed(class->timed, diagnostics, &analysis);
    if (status == WB_OK) status = wb_analysis_bound(analysis, "elb,sib,fib", NULL, diagnostics);
    for (size_t b = 0; status == WB_OK && b < analysis->bounds.count; b++)
        if (is_claimed(&analysis->bounds.items[b], NULL, plain))
            take_min(&analysis->bounds.items[b], analysis->fetch_time, time, &always);
    if (status == WB_OK && class->isolated < *time)
        status = wb_analysis_bound(analysis, asked, NULL, diagnostics);
    for (size_t b = 0; status == WB_OK && b < analysis->bounds.count; b++)
        if (is_claimed(&analysis->bounds.items[b], class->timed, sharp))
            take_min(&analysis->bounds.items[b], analysis->fetch_time, time, method);
    if (class->load.requests == 0) take_min(&by_sub_cores, 0, time, method);
    wb_analysis_free(analysis);
    return status;
}

/* A block by its sub-cores as the checker sees it: sections without what units have left at a barrier, and so
 * without SIB (docs/sub-core-bounds.md, section 10); or all at once. Under oldest first, with the longest
 * initiations of all blocks, which were not known when the block was met. */
static wb_status shown_chain(struct block_class *class, uint32_t *init, struct arena *arena,
                             wb_diagnostics *diagnostics) {
    const struct chain_demand demand = {class->initiations, class->latency, CYCLES_SATURATED,
                                        certificate_is_of_parts(class->timed)};
    const cycles own = class->chain.shares[CHAIN_WHOLE].own;
    struct block_profile profile;
    WB_TRY(block_profile_make(class->timed, NULL, diagnostics, &profile));
    profile.spill = 0;
    wb_status status = block_chain_make(&profile, &demand, arena, &class->chain);
    class->chain.shares[CHAIN_WHOLE].own = own;
    if (status == WB_OK && class->oldest != NULL)
        status = oldest_times_of(&profile, false, init, arena, &class->oldest);
    block_profile_free(&profile);
    return status;
}

void certificate_put_order(struct text *out, const uint32_t *class_of, uint32_t blocks) {
    uint32_t first = 0;
    for (uint32_t b = 1; b <= blocks; b++) {
        if (b < blocks && class_of[b] == class_of[first]) continue;
        text_printf(out, "next %u %u\n", class_of[first], b - first);
        first = b;
    }
}

/* Times of blocks of machine code with all misses on their paths, or of parts of paths beside them. */
static wb_status show_code(const struct block_class *class, wb_diagnostics *diagnostics,
                           struct shown_kernel *shown) {
    struct code_profile cold;
    (void)diagnostics;
    wb_status status = code_profile_make(class->timed, MISSES_ON_PATHS, &cold);
    if (status == WB_OK) status = grid_work_add_code_class(&shown->work, class->timed, &cold, &cold);
    code_profile_free(&cold);
    if (status != WB_OK) return status;
    struct block_class *as_shown = &shown->work.classes.items[shown->work.classes.count - 1];
    as_shown->blocks = class->blocks;
    as_shown->first = class->first;
    return WB_OK;
}

static wb_status show_block(const struct block_class *class, wb_diagnostics *diagnostics,
                            struct shown_kernel *shown) {
    struct block_class as_shown = contention_uncharged(class);
    const char **alone = &shown->alone[shown->work.classes.count];
    as_shown.isolated = as_shown.residency;
    WB_TRY(isolated_time(class, diagnostics, &as_shown.isolated, alone));
    WB_TRY(shown_chain(&as_shown, shown->work.oldest.init, &shown->work.arena, diagnostics));
    contention_charge_class(&shown->work, &as_shown);
    return vec_push(&shown->work.classes, as_shown);
}

/* Writes the block of a class, and finds what is shown of it; its `timed` is set. */
static wb_status show_class(struct certificate *certificate, const struct block_class *class,
                            wb_diagnostics *diagnostics, struct shown_kernel *shown) {
    char name[32];
    (void)text_format(name, sizeof name, "block-%u", class->first);
    WB_TRY(certificate_put_block(certificate, name, class->timed, diagnostics));
    held_part_class(&certificate->text, &shown->work, class);
    return model_of(shown->work.machine)->show(class, diagnostics, shown);
}

/* The same of all classes; of those that are not kept what they execute is made again. */
static wb_status show_classes(struct certificate *certificate, const wb_analysis *analysis,
                              wb_diagnostics *diagnostics, struct shown_kernel *shown) {
    const struct grid_work *work = &analysis->work;
    shown->alone = arena_array(&shown->work.arena, work->classes.count + 1, sizeof *shown->alone);
    if (shown->alone == NULL) return WB_ERR_LIMIT;
    for (uint32_t k = 0; k < work->classes.count; k++) {
        struct block_class class = work->classes.items[k];
        struct class_times made = {0};
        wb_status status = WB_OK;
        if (class.timed == NULL) {
            status = class_times_make(&analysis->grid_times, work, k, diagnostics, &made);
            class.timed = &made.timed;
        }
        if (status == WB_OK) status = show_class(certificate, &class, diagnostics, shown);
        class_times_clear(&made);
        WB_TRY(status);
    }
    return WB_OK;
}

/* Sums up what is shown of machine code. Beside it nothing is missed, unless warps execute parts of paths. */
static wb_status sum_code(struct grid_work *shown) {
    if (shown->covering == NULL) {
        shown->cold_sets = (struct cold_sets){0};
        shown->cold = (struct cold_times){0};
    }
    shown->latency_total = shown->latency_most = 0;
    return grid_work_finish(shown);
}

static const struct certificate_model models[] = {
    [ISA_PTX] = {"", true, ptx_objection, put_machine, show_block, grid_work_rank_again},
    [ISA_SASS] = {"code-", false, NULL, code_part_machine, show_code, sum_code}};

/* What instruction fetch takes, be it nothing. */
static void put_fetching(struct text *out, const struct grid_work *work) {
    const struct machine_fetch *fetch = &work->machine->fetch;
    uint64_t lines;
    if (!fetch_can_stall(fetch)) {
        text_string(out, "fetching 0 0 0 1 0\n");
        return;
    }
    if (code_lines_fit(&work->code, fetch, &lines))
        text_printf(out, "fetching %" PRIu64, lines);
    else
        text_string(out, "fetching unlimited");
    text_printf(out, " %u %u %u %" PRIu64 "\n", fetch->miss_latency, fetch->latency, fetch->per_cycle,
                (uint64_t)work->warps);
}

static void put_grid(struct text *out, const struct shown_kernel *shown) {
    const struct grid_work *work = &shown->work;
    const struct machine_memory *memory = &work->machine->memory;
    text_printf(out, "grid %u %u %u %u %u\n", memory->sms, work->resident_least, work->resident_most,
                memory->dispatch_latency, memory->dispatch_service);
    put_fetching(out, work);
    for (size_t k = 0; k < work->classes.count; k++) {
        text_printf(out, "class %zu %" PRIu64 "\nfetches %" PRIu64 "\n", k, work->classes.items[k].blocks,
                    work->classes.items[k].fetches);
        if (shown->alone[k] != NULL) text_printf(out, "alone %s\n", shown->alone[k]);
    }
    if (!grid_work_is_dynamic(work)) certificate_put_order(out, work->class_of, work->block_count);
}

/* Formulas for kernels, claimed of any input that they are for. */
static const struct {
    const char *method;
    kernel_formula formula;
    bool is_static;    /* blocks go to fixed SMs */
    bool of_sub_cores; /* it says nothing less where there is one */
    bool of_known_times;
} kernel_claims[] = {{"k-sm", kernel_one_sm, false, false, false},
                     {"k-sm-static", kernel_static, true, false, false},
                     {"k-area", kernel_area, false, false, false},
                     {"k-bal", kernel_balance, false, false, false},
                     {"k-chain", kernel_chain_one_sm, false, true, false},
                     {"k-chain-static", kernel_chain_static, true, true, false},
                     {"k-chain-area", kernel_chain_area, false, true, false},
                     {"k-chain-bal", kernel_chain_balance, false, true, false},
                     {"k-serial", kernel_serial, false, true, true},
                     {"k-oldest", kernel_oldest, false, true, true}};

/* Whether the checker can align the warps of each kind of block with each. */
static bool are_checkable(const struct grid_work *work) {
    uint64_t longest = 0, times = 1;
    for (size_t k = 0; k < work->classes.count; k++) {
        const struct timed_block *block = work->classes.items[k].timed;
        longest = cycles_max(longest, longest_path(block));
        times = cycles_max(times, times_of(block));
    }
    return longest < ALIGNED_TIMES_MAX / times;
}

/* k-wave is the least of these if the grid is one wave. */
static wb_status put_wave_claims(struct certificate *certificate, const struct grid_work *work,
                                 wb_diagnostics *diagnostics) {
    static const char *const methods[WAVE_PARTS] = {"k-wave-sib", "k-wave-aln", "k-wave-fifo"};
    struct search_budget budget = {WORK_UNLIMITED, SEARCH_BYTES_UNASKED, ALIGNED_WORK_MAX};
    const struct bound_input input = {
        .machine = work->machine, .work = work, .diagnostics = diagnostics, .budget = &budget};
    struct wave_times times;
    if (wave_objection(&input) != NULL) return WB_OK;
    WB_TRY(wave_times_find(&input, &times));
    for (size_t p = 0; p < WAVE_PARTS; p++) {
        const cycles claimed = cycles_add(kernel_time_sum(&times.parts[p]), wave_dispatch_time(work));
        if (claimed == CYCLES_SATURATED) continue;
        if (p == WAVE_ALIGNED && (times.cut_short || !are_checkable(work))) continue;
        if (p == WAVE_QUEUES && !is_checkable("fifo", work->classes.items[0].timed)) continue;
        put_claim(certificate, "", methods[p], claimed);
    }
    return WB_OK;
}

/* The values of the formulas if only the certificate's data about blocks is known. */
static void put_kernel_claims(struct certificate *certificate, const struct grid_work *shown, cycles beside) {
    const bool contended =
        memory_is_contended(&shown->machine->memory) || fetch_can_stall(&shown->machine->fetch);
    const struct certificate_model *model = model_of(shown->machine);
    for (size_t c = 0; c < sizeof kernel_claims / sizeof kernel_claims[0]; c++) {
        if (kernel_claims[c].of_sub_cores && shown->machine->sub_cores == 1) continue;
        if (kernel_claims[c].of_sub_cores && !contention_keeps_order(shown)) continue;
        if (kernel_claims[c].of_known_times && (contended || !model->has_rules)) continue;
        if (kernel_claims[c].is_static == grid_work_is_dynamic(shown)) continue;
        const struct kernel_time time = kernel_time_worst(shown, kernel_claims[c].formula);
        const cycles claimed = cycles_add(kernel_time_sum(&time), beside);
        if (claimed != CYCLES_SATURATED)
            put_claim(certificate, model->prefix, kernel_claims[c].method, claimed);
    }
}

static wb_status put_kernel(struct certificate *certificate, const wb_analysis *analysis,
                            wb_diagnostics *diagnostics) {
    static const char *const none[] = {NULL};
    const struct certificate_model *model = model_of(analysis->machine);
    const bool waves = !memory_is_contended(&analysis->machine->memory) && model->has_rules &&
                       !fetch_can_stall(&analysis->machine->fetch);
    struct shown_kernel shown = {.work = analysis->work};
    memset(&shown.work.arena, 0, sizeof shown.work.arena);
    memset(&shown.work.classes, 0, sizeof shown.work.classes);
    memset(&shown.work.cold_sets, 0, sizeof shown.work.cold_sets);
    shown.work.without = NULL; /* facts that count passes of loops in all are not shown */
    const struct beside_times beside = beside_times_of(analysis->machine, &analysis->beside);
    wb_status status = show_classes(certificate, analysis, diagnostics, &shown);
    if (status == WB_OK) status = model->sum(&shown.work);
    if (status == WB_OK) {
        put_grid(&certificate->text, &shown);
        claim_bounds(certificate, analysis, none);
        put_kernel_claims(certificate, &shown.work, beside_sum(&beside));
        if (waves) status = put_wave_claims(certificate, &analysis->work, diagnostics);
    }
    vec_free(&shown.work.classes);
    arena_free(&shown.work.arena);
    return status;
}

static wb_status put_subject(struct certificate *certificate, const wb_analysis *analysis,
                             wb_diagnostics *diagnostics) {
    static const char *const cached[] = {"segment-sum", "turn-chain", "reorder-chain", NULL},
                             *const wide[] = {"segment-sum", "reorder-chain", NULL};
    const char *const *const methods = analysis->machine->issue_width > 1 ? wide : cached;
    bool found = false; /* what else there is to say takes long */
    if (analysis->kind == SUBJECT_KERNEL) return put_kernel(certificate, analysis, diagnostics);
    if (analysis->kind != SUBJECT_CACHED_GRID) return put_block(certificate, analysis, diagnostics);
    for (size_t b = 0; b < analysis->bounds.count; b++)
        found = found || is_claimed(&analysis->bounds.items[b], NULL, methods);
    if (!found) return WB_OK;
    WB_TRY(certificate_put_cached(certificate, analysis, diagnostics));
    claim_bounds(certificate, analysis, methods);
    return WB_OK;
}

static const char *objection(const wb_analysis *analysis) {
    const struct certificate_model *model = model_of(analysis->machine);
    return model->objection == NULL ? NULL : model->objection(analysis);
}

wb_status wb_analysis_certificate(const wb_analysis *analysis, const wb_writer *writer,
                                  wb_diagnostics *diagnostics) {
    struct certificate certificate = {
        .writer = {write_summed, &certificate}, .out = writer, .sum = CHECKSUM_START};
    const char *why = analysis->kind == SUBJECT_OF_WING      ? "certificates are of blocks and kernels"
                      : analysis->machine->neighbours.stated ? "there are no certificates of neighbours"
                                                             : objection(analysis);
    if (why != NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, "certificate", "no bound is claimed: %s", why);
        return WB_ERR_DECLINED;
    }
    wb_status status = put_heading(&certificate, analysis, diagnostics);
    if (status == WB_OK) status = put_subject(&certificate, analysis, diagnostics);
    if (status == WB_OK && certificate.claims == 0) {
        diagnose(diagnostics, SEVERITY_ERROR, "certificate",
                 "no bound is claimed: none was found by a method that has certificates");
        status = WB_ERR_DECLINED;
    }
    if (status == WB_OK) status = report_flush(&certificate.text, &certificate.writer, true);
    if (status == WB_OK) {
        text_printf(&certificate.text, "end %016" PRIx64 "\n",
                    certificate.sum); /* of all that stands above */
        status = report_flush(&certificate.text, &certificate.writer, true);
    }
    text_free(&certificate.text);
    return report_written(status, diagnostics);
}
