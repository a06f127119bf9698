/* A machine of small grids of machine code whose caches keep what they were filled with: translations of
 * pages in each SM, sectors in the second level of the GPU, with DRAM behind it, which others may evict and
 * have DRAM serve them. It goes through one execution, all choices of which come from a tape. */
#ifndef WB_TESTS_LEVEL_MACHINE_H
#define WB_TESTS_LEVEL_MACHINE_H

#include "naive_sass.h"

#define LEVEL_SECTORS 8u
#define LEVEL_PAGES 4u /* the same number of sectors in each */
#define LEVEL_ACCESS 3u
#define LEVEL_TAPE 384u

/* Units of the grid, of which the first two are of a sub-core. An access passes the last three, an
 * instruction of shared memory the first two of these. */
enum level_unit { LEVEL_ALU, LEVEL_ADDRESS, LEVEL_LSU, LEVEL_L2, LEVEL_UNITS };

enum level_kind { LEVEL_NONE, LEVEL_LOAD, LEVEL_STORE, LEVEL_ATOMIC };

/* What an instruction asks global memory for. */
struct level_access {
    enum level_kind kind;
    uint32_t count;
    uint8_t sectors[LEVEL_ACCESS];
};

/* Which own later instructions begin on the LSU before one that has to pass it again. */
enum level_order {
    LEVEL_FIRST_AGAIN, /* none */
    LEVEL_ASKED_AGAIN, /* those that begin before it asks for it again */
    LEVEL_ANY_AGAIN
};

/* What is left open of how units are filled. */
struct level_rules {
    enum level_order again;
    bool page_holds_lsu;    /* who waits for a page keeps the LSU meanwhile */
    bool page_after_page;   /* an access looks for its next page when it has the one before */
    bool replay_in_queue;   /* who passes again takes a place in the queue */
    bool merged_passes;     /* who waits for a fill of another passes again, too */
    bool walks_pause;       /* fills of pages stand still while DRAM serves */
    bool dram_pauses;       /* what is on its way stands still while DRAM serves */
    bool store_waits;       /* a store is complete when DRAM has it */
    bool eager_stores;      /* they ask DRAM at once */
    bool ends_written_back; /* a grid ends when DRAM has all that was stored */
    bool keeps_loads;       /* the first level keeps what a block has loaded and nobody changes, */
    bool loads_of_all;      /* also for other blocks of its SM */
};

/* Others than the grid: in no time DRAM serves more than `requests` of theirs, and one in `every` cycles (0:
 * none more), each for at most `hold`. Each can evict a sector. */
struct level_others {
    uint32_t requests, every, hold;
};

struct level_machine {
    struct sass_grid grid; /* without misses of TLBs, and with the holds of the second level */
    struct level_access accesses[SASS_GRID_WARPS][SASS_GRID_INSTS];
    uint32_t tlb, walkers; /* most cycles of a fill, 0: all pages are there; fills at one time */
    uint32_t dram;         /* most cycles on the way to DRAM and back, those of DRAM apart */
    uint32_t service;      /* most that DRAM takes for a sector, 0: all sectors are there */
    uint32_t l2_sector;    /* most that a sector holds the second level */
    struct level_others others;
    struct level_rules rules;
};

/* Choices of an execution. */
struct level_tape {
    uint8_t bytes[LEVEL_TAPE];
    uint8_t most;     /* of 256 durations that are the most that is stated */
    uint8_t victim;   /* a warp that comes last where there is a choice; SASS_GRID_WARPS: none, */
    uint8_t stubborn; /* so often of 256 times */
};

/* Mask: the sectors that nobody changes. */
uint32_t level_kept(const struct level_machine *machine);

/* Cycles until the grid ends. */
uint32_t level_run(const struct level_machine *machine, const struct level_tape *tape);

#endif
