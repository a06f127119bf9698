#include "page.h"

#include <inttypes.h>
#include <stdlib.h>

#include "divergence.h"
#include "example.h"

static void put_introduction(const struct study *study, struct text *page) {
    const cycles sum = study_bound(study->analysis, "abstract-cta")->cycles;
    const cycles turns = study_bound(study->analysis, "abstract-cta-rr")->cycles;
    const cycles simulated = study_simulated(study->analysis, "oldest");
    text_printf(
        page,
        "# Reproduction of WCET 2014\n\n"
        "V. Hirvisalo, *On Static Timing Analysis of GPU Kernels* (WCET 2014); only the slides are used, as "
        "they are what is public here. This page repeats what is on them with\n"
        "`warpbound` ([abstract-cta.md](../abstract-cta.md)). `make reproduce-wcet2014` writes it.\n\n"
        "**Summary.** On the machine `" MACHINE "` the example takes %" PRIu64 " cycles by the sum over "
        "windows (published: %u), %" PRIu64 " in the longest interleaving of abstract warps in\n"
        "turn, and %" PRIu64 " simulated (published: %u, by a simulator that is not described). The slides "
        "give neither the latency of memory nor what a barrier costs, so the machine was chosen to\n"
        "give both: of %" PRIu64 " combinations of conventions, each with every latency, %zu give the "
        "estimate, and %zu of those have a reading of the simulator that gives the other number, too.\n"
        "What is reproduced is that such machines exist; the published numbers cannot tell them apart.\n\n",
        sum, PUBLISHED_ESTIMATE, turns, simulated, PUBLISHED_SIMULATED, study->conventions.tried,
        study->conventions.found.count, conventions_both(&study->conventions));
}

static wb_status put_divergence(wb_diagnostics *diagnostics, struct text *page) {
    text_string(page,
                "## Slide 7: divergence\n\n"
                "A branch of which four of eight threads take one side, and the block at which they meet. A "
                "row of the stack says where its threads meet others, where they go on, and which they\n"
                "are (thread 0 on the left); the top row executes. Masks and order are what the interpreter "
                "executes, the meeting place is the post-dominator that the analysis finds.\n\n");
    return divergence_put(diagnostics, page);
}

static void put_formulas(const struct study *study, struct text *page) {
    text_string(page, "## Slide 9: the formulas\n\n"
                      "An abstract warp in one line each, *T_memory* = 10: the formula, the sum over windows "
                      "(`abstract-cta`), and the same warps in turn (`abstract-cta-rr`).\n\n"
                      "| | abstract warp | warps | formula | sum | in turn |\n"
                      "| --- | --- | ---: | --- | ---: | ---: |\n");
    for (unsigned i = 0; i < FORMULAS; i++) {
        const struct formula *f = &study->formulas[i];
        text_printf(page, "| %s | `%s` | %u | %s | %" PRIu64 " | %" PRIu64 " |\n", f->what, f->program,
                    f->warps, f->published, f->sum, f->turns);
    }
    text_string(
        page, "\nThe stall is a formula in the sum; in turn it comes out of the simulation, and is the same "
              "as long as the warps go side by side and have something to do when the first of\n"
              "them goes on. The last row has nothing: then the last warp waits alone, and the formula is "
              "*N* − 1 too small.\n\n");
}

static void put_abstract_warp(const struct output *output, const struct study *study, struct text *page) {
    text_string(page, "## Slide 12: the abstract warp\n\n");
    output_put_image(output, PAGE_WARP, "The abstract warp of TriangleSum", page);
    text_string(page, "| T_instr | T_shift | what it is |\n| ---: | ---: | --- |\n");
    static const char *const what[] = {"before the loop",
                                       "test of the loop",
                                       "tests of the row, with `s += 1` under a divergent branch",
                                       "`s += m[i]` under a uniform branch, with the memory access",
                                       "behind the barrier",
                                       "behind the loop"};
    const struct acta_warp *warp = &study->slide.cta.warp;
    size_t found = 0;
    for (size_t i = 0; i < warp->nodes.count && found < sizeof what / sizeof *what; i++) {
        const struct acta_node *node = &warp->nodes.items[i];
        if (node->kind != ACTA_TIME) continue;
        text_printf(page, "| %" PRIu64 " | %" PRIu64 " | %s |\n", node->instr, node->shift, what[found++]);
    }
    text_string(page,
                "\nThese are the numbers of the slide. `" SLIDE_PTX "` has them in PTX, `" SLIDE_FILE
                "` as a file; `warpbound cfg " SLIDE_PTX " --abstract-warp` makes the graph from PTX.\n\n");
}

/* What the command prints of the file. */
static wb_status put_report(const struct study *study, wb_diagnostics *diagnostics, struct text *page) {
    static const wb_report_options options = {.size = sizeof options};
    char *printed = NULL;
    WB_TRY(wb_report(study->by_hand, WB_REPORT_TEXT, &options, diagnostics, &printed));
    text_string(page, "    $ warpbound analyze " SLIDE_FILE "\n");
    example_put_block(printed, page);
    free(printed);
    return WB_OK;
}

static wb_status put_simulation(const struct study *study, wb_diagnostics *diagnostics, struct text *page) {
    text_printf(page,
                "## Slide 12: the simulation\n\n"
                "| | published | slide's code in PTX | kind |\n| --- | ---: | ---: | --- |\n"
                "| `abstract-cta` | %u | %" PRIu64 " | estimate |\n"
                "| `abstract-cta-rr` | | %" PRIu64 " | estimate |\n"
                "| `abstract-cta` that counts executed sides of uniform branches | | %" PRIu64
                " | estimate |\n"
                "| `abstract-cta-safe` | | %" PRIu64 " | upper |\n"
                "| simulated, oldest first | %u | %" PRIu64 " | simulated |\n"
                "| simulated, loose round-robin | | %" PRIu64 " | simulated |\n"
                "| simulated, greedy then oldest | | %" PRIu64 " | simulated |\n\n",
                PUBLISHED_ESTIMATE, study_bound(study->analysis, "abstract-cta")->cycles,
                study_bound(study->analysis, "abstract-cta-rr")->cycles,
                study_bound(study->executed, "abstract-cta")->cycles,
                study_bound(study->analysis, "abstract-cta-safe")->cycles, PUBLISHED_SIMULATED,
                study_simulated(study->analysis, "oldest"), study_simulated(study->analysis, "lrr"),
                study_simulated(study->analysis, "gto"));
    text_string(page,
                "All of the difference between estimate and simulation is code that the abstract warp counts "
                "and no warp executes: the load in every second row, `s += 1` in all rows but the\n"
                "first. With executed sides (`--set abstract_cta.uniform_branch=executed`) the loads are "
                "gone. That this is 688 as well is chance: stalls of the simulation are other ones.\n\n"
                "Window by window; `T_instr` is the sum over the warps that are in it, the stall hidden by "
                "those that go on behind the barrier:\n\n");
    return put_report(study, diagnostics, page);
}

static void put_windows(const struct output *output, const struct study *study, struct text *page) {
    const wb_bound *turns = study_bound(study->analysis, "abstract-cta-rr");
    uint64_t most = 0, sum = 0;
    for (size_t i = 0; i < turns->window_count; i++) {
        most = turns->windows[i].interleavings > most ? turns->windows[i].interleavings : most;
        sum += turns->windows[i].interleavings * turns->windows[i].count;
    }
    text_string(page,
                "## Slide 6: small analysis windows mean few paths\n\n"
                "The analysis window is how far divergence can have put two warps apart, in cycles of "
                "*T_instr*. It grows by *T_shift* at each time node; at a barrier they are together\n"
                "again. In TriangleSum it is 1 before each barrier and 0 behind it; the same code without "
                "its barrier would reach 16.\n\n");
    output_put_image(output, PAGE_FIG6, "Analysis window before and behind each barrier", page);
    text_printf(page,
                "In turn, each of *N* warps is a cycle shorter or not: 2^*N* interleavings a window, %" PRIu64
                " at most, and %" PRIu64 " in all 17 windows. Without the barriers, of which each ends all\n"
                "differences, they would have to be multiplied, not added: 2^40. The longest and the "
                "shortest, added up:\n\n",
                most, sum);
    output_put_image(output, PAGE_INTERLEAVINGS, "When each barrier releases the warps", page);
}

/* "n+1, 7, 1+0, active, larger, window, no" */
static void put_keys(const struct machine_abstract_cta *keys, struct text *page) {
    text_printf(page, "| %s | %u | %u | %u | %s | %s | %s | %s |", keys->header ? "n" : "n+1",
                keys->memory_latency, keys->barrier_slots, keys->barrier_cycles,
                keys->stall_warps ? "all" : "active", keys->uniform_branch ? "executed" : "larger",
                keys->shift ? "added" : "window", keys->stores_stall ? "yes" : "no");
}

/* The first reading of the simulator, and how many there are. */
static void put_readings(const struct combination *found, struct text *page) {
    if (found->readings.count == 0) {
        text_string(page, " 0 | |\n");
        return;
    }
    const struct reading *first = &found->readings.items[0];
    text_printf(page, " %zu | %s; barrier: %u, release: %u; usable after *T_memory*%s; %s |\n",
                found->readings.count, placement_names[first->placement], first->slots, first->release,
                first->later ? " + 1" : "", first->policy);
}

static void put_conventions(const struct study *study, struct text *page) {
    const struct conventions *conventions = &study->conventions;
    text_printf(
        page,
        "## All conventions\n\n"
        "The keys of `abstract_cta` ([machine.md](../machine.md)) have %" PRIu64
        " combinations, with a barrier that takes 0 or 1 cycles of each warp, and 0 or 1 of all together. "
        "The program goes through\n"
        "all of them, with every *T_memory* that does not give more than %u cycles: %zu give %u. Beside each "
        "it simulates what the warps execute in %" PRIu64 " readings of the published simulator - whether\n"
        "a loaded value can be used *T_memory* cycles after the load or one later, whether barriers take a "
        "slot and a cycle to release, and where the addition stands - under 4 policies.\n"
        "%zu of the %zu have a reading that gives %u, %zu pairs in all. Columns: `header`, `memory_latency`, "
        "`barrier_slots`, `barrier_cycles`, `stall_warps`, `uniform_branch`, `shift`, `stores_stall`;\n"
        "the longest interleaving in turn, where the keys leave to the warps what they do; how many readings "
        "give %u, and the first.\n\n"
        "| header | latency | slots | cycles | stall | branch | shift | stores | in turn | 688 | first "
        "reading "
        "|\n"
        "| --- | ---: | ---: | ---: | --- | --- | --- | --- | ---: | ---: | --- |\n",
        conventions->tried, PUBLISHED_ESTIMATE, conventions->found.count, PUBLISHED_ESTIMATE,
        conventions->readings, conventions_both(conventions), conventions->found.count, PUBLISHED_SIMULATED,
        conventions_pairs(conventions), PUBLISHED_SIMULATED);
    for (size_t i = 0; i < conventions->found.count; i++) {
        const struct combination *found = &conventions->found.items[i];
        put_keys(&found->keys, page);
        if (found->turns > 0)
            text_printf(page, " %" PRIu64 " |", found->turns);
        else
            text_string(page, " |");
        put_readings(found, page);
    }
    text_string(page,
                "\nThe number of pairs says more of the list of readings than of the slides: a first search, "
                "with readings that this simulator does not have (such as a barrier that takes no slot and\n"
                "yet waits for a load), counted 97. No combination is more likely by being in the list; the "
                "preset has the one with the fewest unusual rules.\n\n");
}

static void put_kernels(const struct study *study, struct text *page) {
    text_string(
        page, "## Other kernels\n\n"
              "Block 0 of kernels of this project on the same machine, with warps of 32 threads. Neither "
              "the sum nor the longest interleaving is a bound (section 3 of\n"
              "[abstract-cta.md](../abstract-cta.md)); the sum falls below what is simulated more often, as "
              "it takes all warps to have something to do when one waits.\n\n"
              "| kernel | slowest simulated | `abstract-cta` | `abstract-cta-rr` | `abstract-cta-safe` |\n"
              "| --- | ---: | ---: | ---: | ---: |\n");
    for (unsigned i = 0; i < KERNELS; i++) {
        const struct kernel_times *k = &study->kernels[i];
        text_printf(page, "| %s | %" PRIu64 " | %" PRIu64 "%s | %" PRIu64 "%s | %" PRIu64 " |\n", k->name,
                    k->simulated, k->sum, k->sum < k->simulated ? " (below)" : "", k->turns,
                    k->turns < k->simulated ? " (below)" : "", k->safe);
    }
}

wb_status page_write(const struct output *output, const struct study *study, struct text *page) {
    put_introduction(study, page);
    WB_TRY(put_divergence(output->diagnostics, page));
    put_formulas(study, page);
    put_abstract_warp(output, study, page);
    WB_TRY(put_simulation(study, output->diagnostics, page));
    put_windows(output, study, page);
    put_conventions(study, page);
    put_kernels(study, page);
    return WB_OK;
}
