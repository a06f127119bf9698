/* What is known of the registers of a kernel's threads: PTX counts virtual ones. */
#ifndef WB_MACHINE_REGISTER_FACTS_H
#define WB_MACHINE_REGISTER_FACTS_H

#include <stdint.h>

/* 0: not stated. */
struct register_facts {
    uint32_t exact;         /* so many, says the launch; the rest does not matter then */
    uint32_t most;          /* at most so many (.maxnreg) */
    uint32_t bound_threads; /* so few that, of blocks of so many threads (.maxntid, .reqntid), */
    uint32_t bound_blocks;  /* so many fit on an SM (.minnctapersm), or one */
};

#endif
