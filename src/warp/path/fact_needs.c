#include "warp/path/path.h"

#include <stdlib.h>
#include <string.h>

#include "flow/bounds/bounds.h"

/* Most facts that one message names. */
#define FACTS_SHOWN_MAX 12u

void fact_needs_free(struct fact_needs *needs) {
    vec_free(&needs->items);
}

bool fact_needs_has(const struct fact_needs *needs, enum fact_kind kind, uint32_t function, uint32_t at) {
    for (size_t i = 0; i < needs->items.count; i++) {
        const struct flow_fact *fact = &needs->items.items[i];
        if (fact->kind == kind && fact->function == function && fact->at == at) return true;
    }
    return false;
}

wb_status fact_needs_add(struct fact_needs *needs, enum fact_kind kind, uint32_t function, uint32_t at) {
    const struct flow_fact fact = {.kind = kind, .function = function, .at = at, .open = true};
    return fact_needs_has(needs, kind, function, at) ? WB_OK : vec_push(&needs->items, fact);
}

/* By place in the code. */
static int by_place(const void *a, const void *b) {
    const struct flow_fact *x = a, *y = b;
    if (x->function != y->function) return x->function < y->function ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* The subject of the search in the function of a fact about a loop. */
struct unrolled_search {
    const struct wb_kernel *kernel;
    const struct flow_fact *fact;
    struct arena *arena;
    struct text *out; /* in the arena */
};

static void search_unrolled(void *context) {
    const struct unrolled_search *search = context;
    const struct flow_fact *fact = search->fact;
    const struct ptx_function *function = &search->kernel->module->functions[fact->function];
    const struct cfg cfg = cfg_build(function, search->arena);
    const struct dominators dominators = dominators_build(search->arena, &cfg.graph, CFG_ENTRY);
    const struct loops loops = loops_build(search->arena, &cfg.graph, &dominators);
    const struct unrolled *unrolled = unrolled_find(&cfg, &loops, search->arena);
    const uint32_t loop = loops.innermost[cfg.block_of[fact->at]];
    if (loop != GRAPH_NONE)
        facts_put_unrolled(search->kernel, fact->function, &cfg, &loops, &unrolled[loop], search->out);
}

/* Notes what a pass of the loop is to its source, where there are signs that it was unrolled. A note is all
 * it is: without memory for it there is none. */
static void note_unrolled(const struct wb_kernel *kernel, const struct flow_fact *fact,
                          wb_diagnostics *diagnostics) {
    struct arena arena = {0};
    struct text text = {.arena = &arena};
    struct unrolled_search search = {kernel, fact, &arena, &text};
    const struct ptx_function *function = &kernel->module->functions[fact->function];
    if (arena_protect(&arena, search_unrolled, &search) == WB_OK && text.length > 0)
        ptx_diagnose(diagnostics, SEVERITY_NOTE, kernel->module, &function->insts[fact->at], "%s", text.data);
    arena_free(&arena);
}

/* Asks for all facts from number `first` on that are of its kind and its source line, and marks them as asked
 * for by taking `open` away. */
static wb_status report_line(struct flow_fact *items, size_t count, size_t first,
                             const struct wb_kernel *kernel, wb_diagnostics *diagnostics) {
    bool failed = false;
    const struct flow_fact *fact = &items[first];
    const struct ptx_function *function = &kernel->module->functions[fact->function];
    struct text place = {0}, asked = {0};
    uint32_t number = 0;
    size_t shown_at[FACTS_SHOWN_MAX];
    facts_put_place(kernel, fact->function, fact->at, &place);
    for (size_t i = first; i < count; i++) {
        struct text other = {0};
        if (!items[i].open || items[i].kind != items[first].kind) continue;
        facts_put_place(kernel, items[i].function, items[i].at, &other);
        bool same =
            i == first || (other.data != NULL && place.data != NULL && strcmp(other.data, place.data) == 0);
        failed |= other.failed;
        text_free(&other);
        if (!same) continue;
        if (number < FACTS_SHOWN_MAX) {
            shown_at[number] = i;
            struct flow_fact shown = items[i];
            shown.open = shown.kind == FACT_LOOP; /* of what is to be confirmed, as it is to be written */
            text_char(&asked, ' ');
            facts_put(kernel, &shown, &asked);
        }
        number++;
        if (i != first) items[i].open = false;
    }
    if (number > FACTS_SHOWN_MAX) text_printf(&asked, " and %u more", number - FACTS_SHOWN_MAX);
    failed |= asked.failed || place.failed;
    const char *facts = asked.data == NULL || failed ? " out of memory" : asked.data;
    const struct ptx_inst *inst = &function->insts[fact->at];
    if (fact->kind == FACT_LOOP)
        ptx_diagnose(diagnostics, SEVERITY_ERROR, kernel->module, inst,
                     "how often %s depends on unknown values; flow facts must say it:%s",
                     number == 1 ? "this loop runs" : "the loops of this line run", facts);
    else
        ptx_diagnose(diagnostics, SEVERITY_ERROR, kernel->module, inst,
                     "whether a warp waits at the barrier after this label depends on unknown values; if all "
                     "warps of the block always wait there together, flow facts can say so:%s",
                     facts);
    for (uint32_t i = 0; fact->kind == FACT_LOOP && i < number && i < FACTS_SHOWN_MAX; i++)
        note_unrolled(kernel, &items[shown_at[i]], diagnostics);
    text_free(&place);
    text_free(&asked);
    return failed ? diagnose_out_of_memory(diagnostics, kernel->module->source.name) : WB_OK;
}

wb_status fact_needs_report(const struct fact_needs *needs, const struct wb_kernel *kernel,
                            wb_diagnostics *diagnostics) {
    const size_t count = needs->items.count;
    struct flow_fact *items = malloc((count + 1) * sizeof *items);
    if (items == NULL) return diagnose_out_of_memory(diagnostics, kernel->module->source.name);
    for (size_t i = 0; i < count; i++)
        items[i] = needs->items.items[i];
    qsort(items, count, sizeof *items, by_place);
    wb_status status = WB_OK;
    for (size_t i = 0; i < count && status == WB_OK; i++)
        if (items[i].open) status = report_line(items, count, i, kernel, diagnostics);
    diagnostics->needs_facts |= count > 0;
    free(items);
    return status;
}
