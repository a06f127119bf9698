/* What a machine that times machine code (`code: sass`) states beyond its units, limits and the like:
 * docs/sass-machine.md says what each key means, docs/machine-code-bounds.md what is proven from them. */
#ifndef WB_MACHINE_SASS_MODEL_H
#define WB_MACHINE_SASS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/files.h"
#include "sass/sass.h"

/* Most stages that an instruction passes. */
#define SASS_STAGES_MAX 3u

/* Longest name of a unit; most cycles that a key may state. As in machine/machine.h. */
#define SASS_UNIT_NAME_MAX 64
#define SASS_TIME_MAX 1000000u

/* ---- Classes ------------------------------------------------------------------------------------------- */

/* What an access makes several of, so that it holds a stage for longer. */
enum sass_count {
    SASS_COUNT_NONE,
    SASS_COUNT_PASSES, /* lines of 128 bytes of global and local memory, passes over banks of shared memory */
    SASS_COUNT_SECTORS, /* of 32 bytes of global and local memory */
    SASS_COUNTS
};

/* How many an access makes beyond the first, of unknown addresses at most; zero: one, or none. */
struct access_counts {
    uint16_t further[SASS_COUNTS];
};

/* A stage of the way of the instructions of a class. */
struct machine_sass_stage {
    uint8_t unit;      /* index into the machine's units */
    uint32_t init;     /* most cycles that it is held, at least 1 */
    uint32_t each;     /* most cycles that it is held longer for each `count` but the first */
    uint32_t count;    /* enum sass_count */
    uint32_t transfer; /* most cycles from then until the next stage is asked for */
};

/* What is added to the cycles from which on a result is there. */
enum sass_plus { SASS_PLUS_NONE, SASS_PLUS_MEMORY };

struct machine_sass_class {
    bool given;          /* false: the machine does not say; using the class is an error */
    bool fixed;          /* results are there when the stall counts say so; no counters */
    uint8_t stage_count; /* 0: it takes an issue slot only */
    struct machine_sass_stage stages[SASS_STAGES_MAX];
    /* Cycles from the end of the last stage until the counter of the result, and that of the sources, counts
     * down. */
    struct field_least write_least, read_least;
    uint32_t write_most, read_most;
    uint32_t plus; /* enum sass_plus: to those of the result */
};

/* A class as the file has it: units by their names, "" where there is none. */
struct sass_class_entry {
    char units[SASS_STAGES_MAX][SASS_UNIT_NAME_MAX];
    struct {
        uint32_t init, each, count, transfer;
    } stages[SASS_STAGES_MAX];
    bool fixed;
    struct field_least write_least, read_least;
    uint32_t write_most, read_most, plus;
};

/* Table of it. */
extern const struct field sass_class_fields[];

/* ---- The core ------------------------------------------------------------------------------------------ */

/* What an instruction does whose first queue is full. */
enum sass_full_queue {
    SASS_FULL_HOLDS_ISSUE, /* it is issued and holds the issue stage until there is room */
    SASS_FULL_HOLDS_WARP   /* only its warp is not ready */
};

/* A cache of instructions or constants. */
struct sass_cache {
    uint32_t bytes; /* 0: none; what asks for it always misses */
    uint32_t ways;  /* of the one for constants: the others hold one stretch of memory, wherever it is */
    uint32_t line_bytes;
    uint32_t miss; /* most cycles that a miss keeps its warp from issue */
};

/* What simulations know of operands with a reuse flag; bounds count every operand that is read. */
enum sass_register_cache { SASS_REGISTERS_READ, SASS_REGISTERS_KEPT };

struct machine_sass {
    uint32_t sm; /* architecture: 75, 80, ... */
    struct field_least clock_least;
    uint32_t clock_most; /* MHz: the range that the clock may be in */
    uint32_t register_banks;
    uint32_t bank_ports;     /* operands that an instruction of fixed latency reads from a bank in a cycle */
    uint32_t register_cache; /* enum sass_register_cache */
    uint32_t constant_probe; /* cycles that a constant that misses holds the issue stage */
    struct sass_cache constants; /* first level, of constant operands */
    struct sass_cache l0;        /* of instructions, of a sub-core */
    uint32_t l0_prefetch;        /* lines behind one that misses that are fetched with it, in simulations */
    struct sass_cache l1_instructions; /* of the SM, of constants, too: `miss` is what its miss adds */
    uint32_t branch;     /* most cycles from a jump to the issue of its target, which is cached */
    uint32_t long_stall; /* stall count 0 with yield, behind ERRBAR and of a branch to itself */
    uint32_t full_queue; /* enum sass_full_queue */
    struct field_least l1_least, l2_least, dram_least, tlb_least;
    uint32_t l1_most, l2_most, dram_most; /* cycles from the last stage to data from there */
    uint32_t tlb_most;                    /* cycles that a miss of the TLB adds */
    uint32_t memory_clock;                /* MHz of DRAM that its figures are for; 0: not stated */
    uint32_t l2_sector; /* most cycles that a sector holds a stage where data is promised to be in the L2 */
    uint32_t l1_bytes;  /* of an SM, with its shared memory, as the vendor states it; 0: not stated */
    uint32_t l2_bytes;  /* of all SMs, likewise */
    uint32_t l1_keeps;  /* bytes of lines: a kernel that touches no more finds them again; 0: not known */
    uint32_t l2_keeps;  /* likewise */
    uint32_t row_cycle; /* of a sector, where each opens a row of one bank; 0: sectors spread over all */
    uint32_t tlb_keeps; /* pages likewise, of each SM's TLB */
    uint32_t page_bytes;
    uint32_t align;       /* buffers, variables, code, .. start at multiples of so many bytes */
    uint32_t atomic_word; /* most cycles from one atomic of global memory on a word, of whatever SM, to the
                             next one there */
    struct machine_sass_class classes[SASS_CLASS_COUNT];
};

/* Table of struct machine_sass but for the classes: the key `sass` of a machine file. */
extern const struct field machine_sass_fields[];

/* A core of which a file says nothing but what it must. */
void machine_sass_defaults(struct machine_sass *sass);

/* Cycles from the last stage of an access of global memory until its data is there: the most of all levels
 * with a miss of the TLB, of those up to the second, the least of all. */
uint32_t sass_memory_most(const struct machine_sass *sass);
uint32_t sass_l2_most(const struct machine_sass *sass);
uint32_t sass_memory_least(const struct machine_sass *sass);

/* Whether the parts fit together. False with a sentence of what is wrong in *problem. */
bool machine_sass_check(const struct machine_sass *sass, struct text *problem);

/* Whether a GPU of the machine's architecture executes code of architecture `sm`. */
bool machine_sass_executes(const struct machine_sass *sass, uint32_t sm);

/* The class as the file has it; `unit_names` are those of the machine's units. */
struct sass_class_entry sass_class_entry_of(const struct machine_sass_class *class,
                                            const char *const *unit_names);

/* ---- Where figures come from ---- */

/* How much a figure can be relied on, weakest first. */
enum figure_mark {
    FIGURE_UNSTATED,    /* the file does not say */
    FIGURE_GIVEN,       /* overridden by whoever analyses */
    FIGURE_ASSUMED,     /* nobody says it; on the safe side as far as known */
    FIGURE_SECOND_HAND, /* read in a text that cites another one */
    FIGURE_PUBLISHED,   /* by the vendor */
    FIGURE_MEASURED,    /* by the author of the text */
    FIGURE_MARKS
};

/* Its name in machine files. */
const char *figure_mark_name(enum figure_mark mark);

#define FIGURE_DATE_MAX 16
#define FIGURE_FROM_MAX 512

/* Where some figures come from. */
struct figure_source {
    uint32_t mark; /* enum figure_mark less FIGURE_ASSUMED */
    char date[FIGURE_DATE_MAX];
    char from[FIGURE_FROM_MAX];
    const char **keys; /* of machine files, with dots; one stands for all below it, too */
    uint32_t key_count;
};

/* Table of struct figure_source but for the keys. */
extern const struct field figure_source_fields[];

#endif
