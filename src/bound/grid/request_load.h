/* The requests of a block to the memory that all SMs share, and for how long an SM waits because only so many
 * of its requests may be on their way (docs/memory-bounds.md, section 12). */
#ifndef WB_BOUND_GRID_REQUEST_LOAD_H
#define WB_BOUND_GRID_REQUEST_LOAD_H

#include "bound/grid/loads_in_flight.h"

struct wb_block;

struct request_load {
    uint64_t requests;  /* q: of all warps */
    uint64_t most;      /* of one instruction */
    uint64_t in_flight; /* between issue and completion at a time: of loads, and of all stores before */
    cycles returns;     /* of all of them, from the end of their service until their data is back */
    uint32_t units;     /* bit u: instructions of unit u make requests */
};

/* What block number `block` of a grid asks for; `flight` is of the grid's code. WB_ERR_LIMIT without a
 * message when memory is exhausted. */
wb_status request_load_of_block(const struct timed_grid *timed, uint32_t block,
                                struct loads_in_flight *flight, struct request_load *load);

/* The same of the only block of a grid. */
wb_status request_load_alone(const struct timed_grid *timed, struct request_load *load);

/* What a block with recorded accesses, some of which may not be known, asks for at most. */
void request_load_of_covering(const struct wb_block *block, const struct wb_machine *machine,
                              struct request_load *load);

/* Cycles that units wait for the limit on requests, at most, because of a block with `load`, when an SM can
 * have `in_flight` requests at a time and each waits `wait` cycles to be served. */
cycles request_stalls(const struct machine_memory *memory, const struct request_load *load,
                      uint64_t in_flight, cycles wait);

/* Whether requests of an SM leave it from more than one place. */
bool request_ports_several(const struct wb_machine *machine, uint32_t units);

#endif
