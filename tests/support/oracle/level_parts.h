/* What the files of the machine of level_machine.h share: its state, and what instructions do in it. */
#ifndef WB_TESTS_LEVEL_PARTS_H
#define WB_TESTS_LEVEL_PARTS_H

#include "level_machine.h"

#define LEVEL_NOBODY UINT8_MAX
#define LEVEL_STORES (SASS_GRID_WARPS * SASS_GRID_INSTS * LEVEL_ACCESS)

/* Where an instruction is. */
enum place {
    UNISSUED,
    OUTSIDE, /* issued, in front of a full queue */
    QUEUED,  /* for its stage */
    HOLDS,
    BLOCKS, /* its stage, as there is no room for it at the next */
    PARKED, /* likewise, but holds nothing */
    MISSES, /* pages */
    RETURNS /* behind its last stage */
};

struct flight {
    enum place place;
    uint8_t stage;
    bool again;    /* it has to pass the LSU once more */
    uint32_t left; /* of its hold */
    uint32_t to_write, to_read;
    uint32_t pages, sectors, stores; /* that it waits for: masks, a number */
    uint32_t merged;                 /* mask: sectors that the first level has asked for, for another */
};

/* Who has asked for a sector of the first level. */
struct asker {
    uint8_t warp, inst; /* LEVEL_NOBODY: nobody has */
};

/* What a sector has to do with DRAM. */
enum errand { ABSENT, LATENT, COMES, WAITS, SERVED, GOES, PRESENT };

struct job {
    enum errand errand;
    uint32_t left, back; /* cycles of the errand, and those of the way back */
    uint8_t warp, inst;  /* of a store */
};

struct page {
    enum { NO_PAGE, ASKED, FILLED, THERE } state;
    uint32_t left;
};

struct sim {
    const struct level_machine *machine;
    const struct sass_grid *grid;
    const struct level_tape *tape;
    uint32_t position, now, warps;
    struct flight flights[SASS_GRID_WARPS][SASS_GRID_INSTS];
    uint32_t next[SASS_GRID_WARPS], earliest[SASS_GRID_WARPS], slot_end[SASS_GRID_WARPS];
    uint32_t issued[SASS_GRID_WARPS]; /* when the last one was */
    bool held[SASS_GRID_WARPS];       /* by a barrier */
    uint8_t sm[SASS_GRID_WARPS];
    bool ended[SASS_GRID_WARPS];           /* blocks, both */
    uint32_t issue_until[SASS_GRID_CORES]; /* the issue stage is held */
    bool taken[LEVEL_UNITS][SASS_GRID_CORES];
    struct page pages[SASS_GRID_CORES][LEVEL_PAGES];
    uint32_t first_level[SASS_GRID_CORES];               /* mask of the sectors that are there */
    struct asker askers[SASS_GRID_WARPS][LEVEL_SECTORS]; /* by blocks, or by SMs */
    struct job fetches[LEVEL_SECTORS], stores[LEVEL_STORES];
    uint32_t store_count;
    uint32_t budget;     /* requests of others that may be served, times `every` */
    uint32_t other_left; /* cycles of the one that is */
    bool other_waits;
};

/* One of so many, as the tape has it. */
uint32_t level_choose(struct sim *sim, uint32_t limit);

/* A duration of at least and at most so many cycles, mostly the most. */
uint32_t level_up_to(struct sim *sim, uint32_t least, uint32_t most);

static inline const struct sass_timed *timed_of(const struct sim *sim, uint32_t w, uint32_t k) {
    return &sim->grid->programs[w].steps[k].stated;
}

static inline const struct level_access *access_of(const struct sim *sim, uint32_t w, uint32_t k) {
    return &sim->machine->accesses[w][k];
}

static inline uint32_t sm_of(const struct sim *sim, uint32_t w) {
    return sim->sm[w / sim->grid->warps];
}

/* Whether the unit of a stage is held or blocked. */
bool *level_taken(struct sim *sim, uint32_t w, uint32_t k, uint32_t stage);

/* Whether the queue in front of a stage has a place. */
bool level_has_room(struct sim *sim, uint32_t w, uint32_t k, uint32_t stage);

/* Whether an instruction that waits for a stage, whose unit is free, has to let own earlier ones begin. */
bool level_is_behind(const struct sim *sim, uint32_t w, uint32_t k, uint32_t stage);

/* Begins a stage; a hold is over, or pages are there that have been waited for. */
void level_start(struct sim *sim, uint32_t w, uint32_t k);
void level_go_on(struct sim *sim, uint32_t w, uint32_t k);

/* Lets go what waits for sectors that another one has asked for. */
void level_settle_merged(struct sim *sim, uint32_t w, uint32_t k);

bool level_is_written(const struct flight *flight);
bool level_is_read(const struct flight *flight);
bool level_is_ready(struct sim *sim, uint32_t w);
void level_issue(struct sim *sim, uint32_t w);

/* An instruction that has held the issue stage comes into its queue. */
void level_enter(struct sim *sim, uint32_t w, uint32_t k);

/* Lets warps of a block go on that wait for each other. */
void level_release(struct sim *sim, uint32_t block);

#endif
