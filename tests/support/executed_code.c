#include "executed_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "sass/sass.h"
#include "warp/interpret/execute.h"
#include "warp/path/path.h"

/* ---- Kinds --------------------------------------------------------------------------------------------- */

/* The number of the kind that an instruction is of, new or old. */
static uint32_t number_of(struct executed_code *code, const struct sass_inst *inst) {
    struct text text = {0};
    uint32_t number;
    bool is_new;
    sass_put(inst, &text);
    assert_false(text.failed);
    const char *name = text.data[0] == '@' ? strchr(text.data, ' ') + 1 : text.data;
    assert_int_equal(intern_copy(&code->names, name, strcspn(name, " "), &number, &is_new), WB_OK);
    text_free(&text);
    const struct executed_kind kind = {.op = inst->op};
    if (is_new) assert_int_equal(vec_push(&code->kinds, kind), WB_OK);
    return number;
}

/* The kind of the n-th instruction of a function. */
static struct executed_kind *kind_of(struct executed_code *code, const wb_module *module,
                                     const struct ptx_function *function, uint32_t n) {
    const struct ptx_inst *inst = &function->insts[ptx_issued(function, n)];
    const uint32_t number = number_of(code, &module->code->insts[inst->machine].sass);
    return &code->kinds.items[number];
}

void executed_code_add(struct executed_code *code, const wb_module *module) {
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *function = &module->functions[f];
        for (uint32_t n = 0; n < ptx_issued_count(function); n++)
            (void)kind_of(code, module, function, n);
    }
}

void executed_code_free(struct executed_code *code) {
    vec_free(&code->kinds);
    intern_free(&code->names);
}

/* ---- What is executed ---------------------------------------------------------------------------------- */

/* Of an instruction: what executes it, and what became of it. */
struct outcome {
    execute_fn execute;
    bool executed, known;
};

/* The function that is executed; what executes an instruction has no argument for it. */
static struct {
    const struct ptx_function *function;
    struct outcome *outcomes;
} watched;

/* The lanes in which a value is known, as far as it can be: of an address the buffer that it points into. */
static uint32_t lanes_known(const struct warp *warp, struct slot slot) {
    const struct lanes *lanes = warp_slot(warp, slot);
    return lanes->known | lanes->halved;
}

/* Whether all that an instruction has written, or stored, is known in some lane of `mask`. */
static bool gives_known(const struct warp *warp, const struct micro *op, uint32_t mask) {
    for (uint32_t i = 0; i < op->output_count; i++)
        mask &= lanes_known(warp, op->outputs[i]);
    if (op->form->op == PTX_OP_ST)
        for (uint32_t i = 0; i < op->memory.count; i++)
            mask &= lanes_known(warp, op->memory.values[i]);
    return mask != 0;
}

static wb_status watched_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct outcome *outcome = &watched.outcomes[op->inst - watched.function->insts];
    WB_TRY(outcome->execute(warp, op, mask));
    if (mask == 0) return WB_OK;
    outcome->executed = true;
    outcome->known = outcome->known || gives_known(warp, op, mask);
    return WB_OK;
}

static void watch(const struct run *run) {
    const struct function_code *code = &run->program.functions[run->kernel->function];
    watched.function = code->function;
    watched.outcomes = calloc((size_t)code->function->inst_count + 1, sizeof *watched.outcomes);
    assert_non_null(watched.outcomes);
    for (uint32_t i = 0; i < code->function->inst_count; i++) {
        struct micro *op = &code->micros[i];
        if (op->execute == NULL || op->inst == NULL) continue;
        watched.outcomes[i].execute = op->execute;
        op->execute = watched_execute;
    }
}

/* A machine instruction has given what is known when all have that it was lifted to and that were executed.
 */
static void note_outcomes(struct executed_code *code, const wb_module *module) {
    const struct ptx_function *function = watched.function;
    for (uint32_t n = 0; n < ptx_issued_count(function); n++) {
        uint32_t count;
        const uint32_t first = ptx_issue_group(function, n, &count), issued = ptx_issued(function, n);
        if (!watched.outcomes[issued].executed) continue;
        bool known = true;
        for (uint32_t i = first; i < first + count; i++)
            known = known && (!watched.outcomes[i].executed || watched.outcomes[i].known);
        struct executed_kind *kind = kind_of(code, module, function, n);
        kind->executed = true;
        kind->known = kind->known || known;
    }
}

static wb_status execute_blocks(struct run *run, struct arena *arena) {
    uint32_t *code_first = NULL;
    WB_TRY(code_number(run->kernel->module, arena, &code_first));
    WB_TRY(run_begin(run, arena, code_first));
    watch(run);
    do {
        WB_TRY(run_block(run, NULL));
    } while (run_next_block(run));
    return WB_OK;
}

/* Whether some kind of the kernel's has not been executed with known values yet. */
static bool is_wanted(struct executed_code *code, const wb_kernel *kernel) {
    const struct ptx_function *function = &kernel->module->functions[kernel->function];
    for (uint32_t n = 0; n < ptx_issued_count(function); n++)
        if (!kind_of(code, kernel->module, function, n)->known) return true;
    return false;
}

wb_status executed_code_run(struct executed_code *code, const wb_kernel *kernel, wb_launch *launch,
                            wb_diagnostics *diagnostics) {
    struct arena arena = {0};
    struct run run = {.kernel = kernel,
                      .launch = launch,
                      .diagnostics = diagnostics,
                      .assumptions = 1u << OPEN_ATOMIC_ORDER};
    if (!is_wanted(code, kernel)) return WB_OK;
    WB_TRY(wb_launch_assume(launch, WB_TAKE_ALL, diagnostics));
    const wb_status status = execute_blocks(&run, &arena);
    if (watched.outcomes != NULL) note_outcomes(code, kernel->module);
    free(watched.outcomes);
    watched.outcomes = NULL;
    run_end(&run);
    arena_free(&arena);
    return status;
}
