#include "loop_cases.h"

#include "base/base.h"

static bool known_parameter(const void *user, uint32_t variable, uint64_t offset, uint32_t bytes,
                            uint64_t *value) {
    const struct loop_case *given = user;
    int64_t known = variable == 0 ? given->n : variable == 1 ? given->m : UNKNOWN;
    if (known < 0 || offset != 0 || bytes != 4) return false;
    *value = (uint64_t)known;
    return true;
}

static struct loop_environment environment_of(const struct loop_case *given) {
    struct loop_environment environment = {.parameter = known_parameter, .user = given};
    environment.sregs[PTX_SREG_TID_X] = (struct sreg_range){true, 0, 63};
    environment.sregs[PTX_SREG_NTID_X] = (struct sreg_range){true, 64, 64};
    environment.sregs[PTX_SREG_CTAID_X] = (struct sreg_range){true, 0, 9};
    environment.sregs[PTX_SREG_NCTAID_X] = (struct sreg_range){true, 10, 10};
    return environment;
}

static void kernel_of(const char *body, struct text *out) {
    text_string(out, ".version 8.0\n.target sm_80\n.address_size 64\n"
                     ".visible .entry k(.param .u32 n, .param .u32 m, .param .u64 w)\n{\n"
                     ".reg .pred %p<20>;\n.reg .b16 %h<10>;\n.reg .b32 %r<30>, %t, %n, %m;\n"
                     ".reg .b64 %d<20>, %w;\n.reg .f32 %f<4>;\n"
                     "mov.u32 %t, %tid.x;\nld.param.u32 %n, [n];\nld.param.u32 %m, [m];\n"
                     "ld.param.u64 %w, [w];\n");
    text_string(out, body);
    text_string(out, "\nret;\n}\n");
}

/* The bound of the loop whose header has the label 'A' + number. */
static uint64_t bound_of(const struct bounded_function *bounded, uint32_t number) {
    const char label[] = {(char)('A' + number), '\0'};
    uint32_t loop = loop_labelled(bounded, label);
    if (loop == GRAPH_NONE) fail_msg("no loop %s", label);
    return bounded->bounds[loop].known ? bounded->bounds[loop].headers : NO_BOUND;
}

static void check_case(const struct loop_case *given) {
    struct text text = {0};
    kernel_of(given->body, &text);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    if (wb_module_parse(given->name, text.data, text.length, diagnostics, &module) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    struct loop_environment environment = environment_of(given);
    struct bounded_function bounded;
    bound_function(kernel_function(wb_module_kernel(module, 0)), &environment, &bounded);
    for (uint32_t i = 0; i < 3 && given->expected[i] != 0; i++) {
        uint64_t bound = bound_of(&bounded, i);
        if (bound != given->expected[i])
            fail_msg("%s, loop %c: bound %lld, expected %lld", given->name, 'A' + i, (long long)bound,
                     (long long)given->expected[i]);
    }
    arena_free(&bounded.arena);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    text_free(&text);
}

void loop_cases_check(const struct loop_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        check_case(&cases[i]);
}
