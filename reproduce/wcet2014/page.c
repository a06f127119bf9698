#include "page.h"

#include <inttypes.h>

static cycles bound_of(const wb_analysis *analysis, const char *method) {
    return study_bound(analysis, method)->cycles;
}

static void put_introduction(const struct study *study, struct text *page) {
    text_string(page, "# Reproduction of WCET 2014\n\n");
    output_put_words(page, "This page repeats the slides of V. Hirvisalo, *On Static Timing Analysis of GPU "
                           "Kernels* (WCET 2014), with [abstract warps](../abstract-cta.md). Only the slides "
                           "are public. `make reproduce-wcet2014` writes the page.");
    output_put_words(
        page,
        "**Summary.** On the machine `" MACHINE "` the example takes %" PRIu64
        " cycles by the sum over windows (published: %u) and %" PRIu64
        " simulated (published: %u, by an undescribed simulator). The slides give neither the memory latency "
        "nor the cost of a barrier, so the machine was chosen to give both; [others](#all-conventions) do, "
        "too.",
        bound_of(study->analysis, "abstract-cta"), PUBLISHED_ESTIMATE,
        study_simulated(study->analysis, "oldest"), PUBLISHED_SIMULATED);
}

static void put_simulation(const struct output *output, const struct study *study, struct text *page) {
    text_string(page, "## Slide 12: the example TriangleSum\n\n");
    output_put_image(output, PAGE_WARP, "The abstract warp of TriangleSum", page);
    text_printf(page,
                "| | published | here | kind |\n| --- | ---: | ---: | --- |\n"
                "| `abstract-cta` | %u | %" PRIu64 " | estimate |\n"
                "| `abstract-cta-rr`, warps in turn | | %" PRIu64 " | estimate |\n"
                "| `abstract-cta`, executed sides only | | %" PRIu64 " | estimate |\n"
                "| `abstract-cta-safe` | | %" PRIu64 " | upper |\n"
                "| oldest first | %u | %" PRIu64 " | simulated |\n"
                "| loose round-robin | | %" PRIu64 " | simulated |\n"
                "| greedy then oldest | | %" PRIu64 " | simulated |\n\n",
                PUBLISHED_ESTIMATE, bound_of(study->analysis, "abstract-cta"),
                bound_of(study->analysis, "abstract-cta-rr"), bound_of(study->executed, "abstract-cta"),
                bound_of(study->analysis, "abstract-cta-safe"), PUBLISHED_SIMULATED,
                study_simulated(study->analysis, "oldest"), study_simulated(study->analysis, "lrr"),
                study_simulated(study->analysis, "gto"));
    output_put_words(page,
                     "Estimate and simulation differ by code that the abstract warp counts and no warp "
                     "executes: the load in every second row, and `s += 1` in all rows but the first. With "
                     "executed sides only (`--set abstract_cta.uniform_branch=executed`) the loads are gone; "
                     "that this also gives 688 is chance. `warpbound analyze " SLIDE_FILE
                     "` prints the windows; `" SLIDE_PTX "` has the code in PTX.");
}

static void put_windows(const struct output *output, const struct study *study, struct text *page) {
    const wb_bound *turns = study_bound(study->analysis, "abstract-cta-rr");
    uint64_t most = 0, sum = 0;
    for (size_t i = 0; i < turns->window_count; i++) {
        most = turns->windows[i].interleavings > most ? turns->windows[i].interleavings : most;
        sum += turns->windows[i].interleavings * turns->windows[i].count;
    }
    text_string(page, "## Slide 6: small analysis windows mean few paths\n\n");
    output_put_image(output, PAGE_FIG6, "Analysis window before and behind each barrier", page);
    output_put_image(output, PAGE_INTERLEAVINGS, "When each barrier releases the warps", page);
    output_put_words(page,
                     "The analysis window is how far divergence can have put two warps apart, in cycles of "
                     "*T_instr*. It grows by *T_shift* at each time node; a barrier resets it. In "
                     "TriangleSum it is 1 before each barrier; without barriers it would reach 16. In turn, "
                     "each warp is a cycle shorter or not: at most %" PRIu64
                     " interleavings in a window, %" PRIu64
                     " in all 17. Without barriers they would multiply, to 2^40.",
                     most, sum);
}

/* Formulas that the warps in turn do not obey. */
static unsigned count_different(const struct study *study) {
    unsigned count = 0;
    for (unsigned i = 0; i < FORMULAS; i++)
        count += study->formulas[i].sum != study->formulas[i].turns;
    return count;
}

static void put_formulas(const struct study *study, struct text *page) {
    text_string(page, "## Slides 7 and 9: divergence and the formulas\n\n");
    output_put_words(page, "Slide 7: the interpreter executes the masks of the slide in its order, and the "
                           "threads meet at the post-dominator:");
    text_string(page,
                "    warpbound path reproduce/wcet2014/divergence.ptx -g 1 -b 8 -a \"buf:u32[8]=zero\"\n\n");
    output_put_words(page,
                     "Slide 9: for %u abstract warps of a line each, the sum is the formula of the slide, "
                     "and %u take as long in turn ([" PAGE_FORMULAS "](wcet2014/" PAGE_FORMULAS
                     ")). The other one waits with nothing behind the wait: then the last warp waits by "
                     "itself, and the formula is *N* − 1 too small.",
                     FORMULAS, FORMULAS - count_different(study));
}

static void put_conventions(const struct study *study, struct text *page) {
    const struct conventions *conventions = &study->conventions;
    text_string(page, "## All conventions\n\n");
    output_put_words(page,
                     "The keys of `abstract_cta` ([machine.md](../machine.md)) have %" PRIu64
                     " combinations. With every *T_memory* up to an estimate of %u cycles, %zu give %u. Each "
                     "of these is simulated in %" PRIu64
                     " readings of the published simulator under 4 policies: whether a loaded value can be "
                     "used *T_memory* cycles after the load or one later, whether barriers take a slot and a "
                     "cycle to release, and where the addition stands. %zu combinations have a reading that "
                     "gives %u, %zu pairs in all ([" PAGE_CONVENTIONS "](wcet2014/" PAGE_CONVENTIONS ")).",
                     conventions->tried, PUBLISHED_ESTIMATE, conventions->found.count, PUBLISHED_ESTIMATE,
                     conventions->readings, conventions_both(conventions), PUBLISHED_SIMULATED,
                     conventions_pairs(conventions));
    output_put_words(page, "The preset has the combination with the fewest unusual rules.");
}

static void put_kernels(const struct study *study, struct text *page) {
    unsigned sum = 0, turns = 0, safe = 0;
    for (unsigned i = 0; i < KERNELS; i++) {
        const struct kernel_times *k = &study->kernels[i];
        sum += k->sum < k->simulated;
        turns += k->turns < k->simulated;
        safe += k->safe < k->simulated;
    }
    text_string(page, "## Other kernels\n\n");
    output_put_words(page,
                     "For %u kernels, the slowest simulation of a block exceeds `abstract-cta` in %u, "
                     "`abstract-cta-rr` in %u and `abstract-cta-safe` in %u cases ([" PAGE_KERNELS
                     "](wcet2014/" PAGE_KERNELS
                     ")). The first two are no bounds: section 3 of [abstract-cta.md](../abstract-cta.md).",
                     KERNELS, sum, turns, safe);
}

void page_write(const struct output *output, const struct study *study, struct text *page) {
    put_introduction(study, page);
    put_simulation(output, study, page);
    put_windows(output, study, page);
    put_formulas(study, page);
    put_conventions(study, page);
    put_kernels(study, page);
}

static wb_status write_formulas(const struct output *output, const struct study *study) {
    struct text table = {0};
    text_string(&table, "subject,abstract_warp,warps,formula,sum,in_turn\n");
    for (unsigned i = 0; i < FORMULAS; i++) {
        const struct formula *f = &study->formulas[i];
        text_printf(&table, "\"%s\",%s,%u,\"%s\",%" PRIu64 ",%" PRIu64 "\n", f->what, f->program, f->warps,
                    f->published, f->sum, f->turns);
    }
    return output_file(output, PAGE_FORMULAS, &table);
}

static wb_status write_kernels(const struct output *output, const struct study *study) {
    struct text table = {0};
    text_string(&table, "kernel,slowest_simulation,abstract_cta,abstract_cta_rr,abstract_cta_safe\n");
    for (unsigned i = 0; i < KERNELS; i++) {
        const struct kernel_times *k = &study->kernels[i];
        text_printf(&table, "%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", k->name, k->simulated,
                    k->sum, k->turns, k->safe);
    }
    return output_file(output, PAGE_KERNELS, &table);
}

/* The keys, the longest interleaving where they leave to the warps what they do, the number of readings, and
 * the first of them. */
static void put_combination(const struct combination *found, struct text *table) {
    const struct machine_abstract_cta *keys = &found->keys;
    text_printf(table, "%s,%u,%u,%u,%s,%s,%s,%s,", keys->header ? "n" : "n+1", keys->memory_latency,
                keys->barrier_slots, keys->barrier_cycles, keys->stall_warps ? "all" : "active",
                keys->uniform_branch ? "executed" : "larger", keys->shift ? "added" : "window",
                keys->stores_stall ? "yes" : "no");
    if (found->turns > 0) text_printf(table, "%" PRIu64, found->turns);
    text_printf(table, ",%zu", found->readings.count);
    if (found->readings.count == 0) {
        text_string(table, ",,,,,\n");
        return;
    }
    const struct reading *first = &found->readings.items[0];
    text_printf(table, ",\"%s\",%u,%u,%u,%s\n", placement_names[first->placement], first->slots,
                first->release, first->later, first->policy);
}

static wb_status write_conventions(const struct output *output, const struct conventions *conventions) {
    struct text table = {0};
    text_string(&table, "header,memory_latency,barrier_slots,barrier_cycles,stall_warps,uniform_branch,shift,"
                        "stores_stall,in_turn,readings,order,reading_barrier_slots,reading_barrier_release,"
                        "reading_value_later,reading_policy\n");
    for (size_t i = 0; i < conventions->found.count; i++)
        put_combination(&conventions->found.items[i], &table);
    return output_file(output, PAGE_CONVENTIONS, &table);
}

wb_status page_write_data(const struct output *output, const struct study *study) {
    WB_TRY(write_formulas(output, study));
    WB_TRY(write_kernels(output, study));
    return write_conventions(output, &study->conventions);
}
