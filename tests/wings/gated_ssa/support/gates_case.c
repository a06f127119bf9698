#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gates_case.h"

static void make(void *context) {
    struct flow_case *flow = context;
    struct gates *gates = arena_array(&flow->arena, 1, sizeof *gates);
    *gates = gates_build(&flow->ssa, &flow->dominators, &flow->loops, &flow->arena);
    flow->gates = gates;
}

wb_status gates_case_make(struct flow_case *flow) {
    return arena_protect(&flow->arena, make, flow);
}

void gates_case_of_module(struct flow_case *flow, wb_module *module, size_t index) {
    flow_case_of_module(flow, module, index);
    assert_int_equal(gates_case_make(flow), WB_OK);
}

void gates_case_of_body(struct flow_case *flow, const char *body) {
    flow_case_of_body(flow, body);
    assert_int_equal(gates_case_make(flow), WB_OK);
}
