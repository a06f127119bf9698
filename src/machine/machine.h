/* What the GPU is: one streaming multiprocessor (SM) as docs/machine.md describes it. */
#ifndef WB_MACHINE_MACHINE_H
#define WB_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cycles.h"
#include "base/diagnostics.h"
#include "machine/abstract_cta.h"
#include "machine/fetch.h"
#include "machine/gpgpusim.h"
#include "machine/memory.h"
#include "ptx/opcode.h"

#define MACHINE_UNITS_MAX 32
#define MACHINE_NAME_MAX 64
#define MACHINE_TEXT_MAX 512

/* Most threads of a warp, and their number unless a machine states another. */
#define MACHINE_WARP_WIDTH 32u

/* Largest initiation interval, latency and count that a machine may state: bounds stay far from overflow. */
#define MACHINE_TIME_MAX 1000000u

/* Dispatch depth of a unit whose queue never fills. */
#define DEPTH_UNLIMITED UINT32_MAX

/* The unit of an instruction that takes no issue slot and no time (`ret` on the machine of ECRTS 2025). */
#define UNIT_NONE 255u

struct machine_unit {
    char name[MACHINE_NAME_MAX];
    uint32_t count; /* instances; an initiation takes one of them */
    bool shared;    /* one set for the SM, not one per sub-core */
};

/* Which machine-wide latency is added to a class's own. */
enum latency_base { LATENCY_FIXED, LATENCY_PLUS_MEM, LATENCY_PLUS_SHARED };

/* How one opcode class is executed: start to start + init the unit is busy, result at start + init + latency.
 */
struct machine_class {
    bool given;       /* false: the machine does not say; using the class is an error */
    uint8_t unit;     /* index into units, or UNIT_NONE */
    uint32_t init;    /* cycles, at least 1 unless the unit is UNIT_NONE */
    uint32_t latency; /* cycles after the initiation, without the base */
    enum latency_base plus;
};

/* Occupancy limits of one SM; 0: not stated. */
struct machine_limits {
    uint32_t blocks, warps, threads, threads_per_block, registers, shared_bytes;
    uint32_t thread_registers, shared_per_block; /* most registers of a thread, shared memory of a block */
    uint32_t register_unit;                      /* registers are given to a warp in multiples of this */
    uint32_t warp_unit;                          /* equal parts of the registers, each for warps of its own */
    uint32_t shared_unit;                        /* shared memory is given to a block in multiples of this, */
    uint32_t shared_reserved;                    /* with so many bytes for the system */
};

/* Which simulator executes the machine's blocks: the one of docs/proofs.md, or the one of docs/gpgpusim.md,
 * for which no bound is proven. */
enum machine_model { MACHINE_PLAIN, MACHINE_GPGPUSIM };

struct wb_machine {
    char name[MACHINE_NAME_MAX];
    char description[MACHINE_TEXT_MAX];
    uint32_t model; /* enum machine_model */
    double clock_mhz;
    uint32_t sub_cores;       /* warp w belongs to sub-core w mod sub_cores */
    uint32_t warp_width;      /* threads of a warp */
    uint32_t issue_width;     /* most warps that a sub-core issues from in a cycle */
    uint32_t issue_per_warp;  /* most instructions of each of them, on as many units */
    uint32_t dispatch_depth;  /* queue entries per unit; 0: issue only when the unit can start at once */
    uint32_t mem_latency;     /* cycles, see latency_base */
    uint32_t shared_latency;  /* cycles */
    uint32_t barrier_release; /* cycles from the last arrival at a barrier until warps go on behind it */
    uint32_t launch_overhead; /* cycles from the end of a kernel, or the start of its stream, until the first
                                 block of the next one is dispatched */
    struct machine_unit units[MACHINE_UNITS_MAX];
    uint32_t unit_count;
    struct machine_class classes[PTX_CLASS_COUNT];
    struct machine_limits limits;
    struct machine_memory memory;
    struct machine_fetch fetch;
    struct machine_gpgpusim gpgpusim; /* of MACHINE_GPGPUSIM only */
    struct machine_abstract_cta abstract_cta;
};

/* Latency of a class with its machine-wide part. */
static inline uint32_t machine_latency(const struct wb_machine *machine, const struct machine_class *class) {
    uint32_t base = class->plus == LATENCY_PLUS_MEM      ? machine->mem_latency
                    : class->plus == LATENCY_PLUS_SHARED ? machine->shared_latency
                                                         : 0;
    return base + class->latency;
}

#endif
