/* code-k-sm-static of a kernel of machine code whose blocks go to fixed SMs: docs/machine-code-bounds.md,
 * section 7. */
#include "code.h"
#include "kernel.h"

static uint64_t itself(uint64_t (*formula)(void)) {
    return formula();
}

static uint64_t code_k_sm_static(void) {
    return of_code_kernel(itself, k_static);
}

static const struct method methods[] = {
    {.name = "code-k-sm-static", .of_grid = code_k_sm_static, .of_code = true, .on_paper = true},
    {.name = NULL}};

const struct part code_static_part = {NULL, methods};
