/* code-k-chain-static of a kernel of machine code whose blocks go to fixed SMs: theorem 5 of
 * docs/machine-code-bounds.md, section 7. */
#include "code.h"
#include "kernel.h"

static const struct method methods[] = {{.name = "code-k-chain-static",
                                         .with = chains_on_fixed_sms,
                                         .formula = k_fixed,
                                         .measure = measure_code,
                                         .share = share_code,
                                         .of_code = true,
                                         .on_paper = true},
                                        {.name = NULL}};

const struct part code_chain_static_part = {NULL, methods};
