/* A function with its gates, which flow->gates then are. Include what cmocka needs first. */
#ifndef WB_TESTS_GATES_CASE_H
#define WB_TESTS_GATES_CASE_H

#include "flow_case.h"
#include "wings/gated_ssa/gates.h"

/* Makes the gates, with the status that the pass ends with. */
wb_status gates_case_make(struct flow_case *flow);

/* flow_case_of_module and flow_case_of_body, with gates. */
void gates_case_of_module(struct flow_case *flow, wb_module *module, size_t index);
void gates_case_of_body(struct flow_case *flow, const char *body);

#endif
