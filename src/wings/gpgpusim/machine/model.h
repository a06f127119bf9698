/* The model gpgpusim, a part of machines (machine/machine.h). */
#ifndef WB_WINGS_GPGPUSIM_MACHINE_MODEL_H
#define WB_WINGS_GPGPUSIM_MACHINE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/files.h"

#define MACHINE_GPGPUSIM MACHINE_MODEL_gpgpusim

/* Why its bounds are estimates. */
#define MACHINE_UNPROVEN_gpgpusim                                                                            \
    "no proof covers the operand collectors of this profile, and acknowledgements of stores are not counted"

/* What the model that follows GPGPU-Sim 4 cycle by cycle (docs/gpgpusim.md) needs to know of an SM beyond its
 * units and classes: the key `gpgpusim` of a machine file with `model: gpgpusim`. */

/* The units of that model, in the order in which a cycle hands them instructions. X(enumerator, unit's name,
 * suffix of its keys). */
#define GPGPUSIM_UNIT_TABLE(X)                                                                               \
    X(SP, "SP", sp)             /* f32 arithmetic */                                                         \
    X(DP, "DP", dp)             /* f64 arithmetic */                                                         \
    X(INT, "INT", int)          /* integers, and everything that has no unit of its own */                   \
    X(SFU, "SFU", sfu)          /* divisions, special functions */                                           \
    X(TENSOR, "TENSOR", tensor) /* matrices */                                                               \
    X(MEM, "MEM", mem)          /* the specialized unit of global loads */                                   \
    X(LSU, "LSU", lsu)          /* shared memory, stores, atomics, fences */

enum gpgpusim_unit {
#define X(enumerator, name, suffix) GPGPUSIM_##enumerator,
    GPGPUSIM_UNIT_TABLE(X)
#undef X
        GPGPUSIM_UNITS
};

/* Cycles from the issue of an instruction to its result beyond the latency of its opcode: the stages around
 * the unit. Classes of machine files state both together. */
#define GPGPUSIM_STAGES 4u

/* Limits: collector units and register banks are kept as bits of a word. */
#define GPGPUSIM_COLLECTORS_MAX 64u
#define GPGPUSIM_BANKS_MAX 64u
#define GPGPUSIM_WIDTH_MAX 8u
#define GPGPUSIM_STORE_BANKS_MAX 1024u

struct machine_gpgpusim {
    bool stated;                         /* by the machine file */
    uint32_t generic_collectors;         /* collector units that take instructions for every unit */
    uint32_t generic_ports;              /* ports into and out of them: instructions per step */
    uint32_t collectors[GPGPUSIM_UNITS]; /* units' own collector units, taken when no generic one is free */
    uint32_t id_oc[GPGPUSIM_UNITS];      /* registers between issue and the collectors */
    uint32_t register_banks;
    uint32_t collector_steps; /* how often the collectors are stepped in a cycle */
    uint32_t result_buses;    /* results of units other than the LSU that can be written in a cycle */
    uint32_t store_banks;     /* banks of the first-level cache: a store hands it one access a bank a cycle */
    uint32_t store_ack_delay; /* cycles from there to the access's acknowledgement, at most one of which
                                 comes back in a cycle */
};

/* Table of struct machine_gpgpusim. */
extern const struct field machine_gpgpusim_fields[];

/* The configuration of ECRTS 2025 with latencies of 10 cycles and more. */
void machine_gpgpusim_defaults(struct machine_gpgpusim *gpgpusim);

#endif
