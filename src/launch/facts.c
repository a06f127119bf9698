/* Flow facts once they are read: what they are asked, and how they are written. */
#include "launch/facts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/file.h"
#include "flow/graph/cfg.h"

wb_status wb_facts_read(const char *path, const wb_kernel *kernel, wb_diagnostics *diagnostics,
                        wb_facts **facts) {
    char *text;
    size_t size;
    WB_TRY(file_read(path, FACTS_SIZE_MAX, diagnostics, &text, &size));
    wb_status status = wb_facts_parse(path, text, size, kernel, diagnostics, facts);
    free(text);
    return status;
}

void wb_facts_free(wb_facts *facts) {
    if (facts == NULL) return;
    vec_free(&facts->facts);
    arena_free(&facts->arena);
    free(facts);
}

/* Appends the label of an instruction, with its function where that is not the kernel's own. */
static void put_label(const struct wb_kernel *kernel, uint32_t function, uint32_t inst, struct text *out) {
    const struct ptx_function *code = &kernel->module->functions[function];
    if (function != kernel->function) text_printf(out, "%s:", code->name);
    text_string(out, code->labels[ptx_first_label_from(code, inst)].name);
}

static void put_limit(const struct flow_fact *fact, struct text *out) {
    if (fact->open) {
        text_char(out, '?');
    } else {
        text_printf(out, "%" PRIu64, fact->limit);
    }
}

void facts_put_place(const struct wb_kernel *kernel, uint32_t function, uint32_t inst, struct text *out) {
    const struct ptx_function *code = &kernel->module->functions[function];
    for (uint32_t i = inst; i < code->inst_count; i++) {
        uint32_t location = code->insts[i].location;
        if (location != PTX_NO_INDEX && kernel->module->locations[location].line != 0) {
            ptx_put_location(kernel->module, location, out);
            return;
        }
        if (cfg_is_branch(&code->insts[i])) break;
    }
    uint32_t line = source_place_at(&kernel->module->source, code->insts[inst].at).line;
    text_printf(out, "PTX line %u", line);
}

void facts_put_header(const struct wb_kernel *kernel, uint64_t checksum, struct text *out) {
    text_printf(out, "kernel %s %016" PRIx64 "\n", wb_kernel_name(kernel), checksum);
}

void facts_put(const struct wb_kernel *kernel, const struct flow_fact *fact, struct text *out) {
    static const char *const words[] = {"loop ", "at most ", "never ", "together "};
    text_string(out, words[fact->kind]);
    if (fact->kind == FACT_PER) {
        put_limit(fact, out);
        text_string(out, " of ");
    }
    put_label(kernel, fact->function, fact->at, out);
    if (fact->kind == FACT_PER) {
        text_string(out, " per ");
        put_label(kernel, fact->function, fact->per, out);
    } else if (fact->kind == FACT_LOOP) {
        text_string(out, " <= ");
        put_limit(fact, out);
    } else if (fact->open) {
        text_string(out, " ?");
    }
    static const char *const origins[] = {"", " found", " found for this launch"};
    text_string(out, origins[fact->origin]);
    text_char(out, ';');
}

void facts_put_launch_statement(uint64_t kernel_checksum, const char *launch, struct text *out) {
    text_printf(out, "launch %016" PRIx64 " %s;\n", facts_launch_checksum(kernel_checksum, launch), launch);
}

size_t facts_count(const struct wb_facts *facts, enum fact_origin a, enum fact_origin b) {
    size_t count = 0;
    for (size_t i = 0; i < facts->facts.count; i++)
        count += facts->facts.items[i].origin == a || facts->facts.items[i].origin == b;
    return count;
}

wb_status facts_print(const struct wb_facts *facts, wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    uint64_t checksum;
    if (facts_checksum(facts->kernel, &checksum) != WB_OK)
        return diagnose_out_of_memory(diagnostics, facts->source.name);
    facts_put_header(facts->kernel, checksum, &out);
    if (facts->launch != NULL) facts_put_launch_statement(checksum, facts->launch, &out);
    for (size_t i = 0; i < facts->facts.count; i++) {
        facts_put(facts->kernel, &facts->facts.items[i], &out);
        text_char(&out, '\n');
    }
    char *taken = text_take(&out);
    if (taken == NULL) return diagnose_out_of_memory(diagnostics, facts->source.name);
    *text = taken;
    return WB_OK;
}

/* What an open fact needs, at its place in the text and with the source line of its code. */
static void report_open(const struct wb_facts *facts, const struct flow_fact *fact,
                        wb_diagnostics *diagnostics) {
    struct text subject = {0};
    if (fact->kind == FACT_LOOP) text_string(&subject, "loop ");
    if (fact->kind == FACT_TOGETHER) text_string(&subject, "together ");
    put_label(facts->kernel, fact->function, fact->at, &subject);
    text_string(&subject, " (");
    facts_put_place(facts->kernel, fact->function, fact->at, &subject);
    text_char(&subject, ')');
    if (fact->kind == FACT_PER) {
        text_string(&subject, " per ");
        put_label(facts->kernel, fact->function, fact->per, &subject);
    }
    const char *what = subject.failed ? "this" : subject.data;
    if (fact->kind == FACT_TOGETHER)
        diagnose_at(diagnostics, SEVERITY_ERROR, &facts->source, fact->place,
                    "%s has to be confirmed: remove ? if all warps of the block that have not ended pass the "
                    "label equally often, in the same iterations of the loops around it",
                    what);
    else
        diagnose_at(diagnostics, SEVERITY_ERROR, &facts->source, fact->place,
                    "%s needs a bound: replace ? by the most times that a thread passes %s", what,
                    fact->kind == FACT_LOOP ? "the label each time it enters the loop"
                                            : "the first label between two passes of the second");
    text_free(&subject);
}

wb_status wb_facts_require_complete(const wb_facts *facts, wb_diagnostics *diagnostics) {
    wb_status status = WB_OK;
    for (size_t i = 0; i < facts->facts.count; i++) {
        const struct flow_fact *fact = &facts->facts.items[i];
        if (!fact->open) continue;
        report_open(facts, fact, diagnostics);
        status = WB_ERR_DECLINED;
    }
    return status;
}
