/* All that a result was made from, wherever it is kept. */
#ifndef WB_LAUNCH_SOURCES_H
#define WB_LAUNCH_SOURCES_H

#include "launch/facts.h"
#include "launch/launch.h"
#include "machine/machine.h"
#include "ptx/ptx.h"

/* Each may be NULL. */
struct sources {
    const struct wb_kernel *kernel;
    const wb_input *code; /* machine code that the kernel's PTX is held against */
    const struct launch_inputs *launch;
    const struct wb_launch *given; /* the launch itself, where it was not executed */
    const struct wb_facts *facts;
    const struct wb_machine *machine;
    const wb_input *by_hand; /* what was written by hand, in place of kernel and launch */
};

/* The `index`-th of them, each once; NULL past the end. */
const wb_input *sources_at(const struct sources *sources, size_t index);

#endif
