/* A warp of machine code on its way along its path, all of whose times have chains: as bound/sass/own_times.h
 * has them, by its own graph or by latencies alone (docs/machine-code-bounds.md, sections 2 and 5). */
#ifndef WB_COST_CODE_WALK_H
#define WB_COST_CODE_WALK_H

#include "bound/sass/own_times.h"
#include "cost/chain_walk.h"

/* An instruction that misses its constant, once: as it is then. */
struct walked_miss {
    uint32_t entry;
    struct sass_timed timed;
};

struct code_walker {
    struct chains *chains;
    const struct way_rules *rules;
    struct path_cursor cursor;
    bool alone; /* by the own graph; else by latencies alone */
    bool later; /* than the first section */
    bool begun; /* something of the section has been walked */
    bool ended; /* the path */
    bool at_barrier;
    struct chain_time *times; /* all of them, from here on: */
    size_t time_count;
    struct chain_time *next;     /* when the next instruction is issued at the earliest, by the last one */
    struct chain_time *issue;    /* of the last one */
    struct chain_time *complete; /* when all so far is */
    struct chain_time *units;    /* when each is free; of latencies alone the start of the last one */
    struct chain_time *done[SASS_COUNTERS]; /* as in struct own_walker */
    cycles hold;                    /* of the last instruction: cycles that latencies alone do not count */
    VEC(struct walked_run) runs;    /* of the section walked last */
    VEC(struct walked_miss) misses; /* of it, of constants */
    struct cold_path cold;          /* as in struct own_walker */
    struct chain_time **roots;      /* pointers to all times */
    struct path_cursor body;        /* of a loop whose repetitions are skipped */
    uint32_t mark, jump;
};

/* A walker at the start of path number `path`, with misses that are made once if `cold` is not NULL; its
 * memory from `arena`. WB_ERR_LIMIT when memory is exhausted; code_walker_free in any case. */
wb_status code_walker_init(struct code_walker *walker, struct chains *chains, const struct way_rules *rules,
                           uint32_t path, bool alone, struct cold_block *cold, struct arena *arena);
void code_walker_free(struct code_walker *walker);

/* Walks to the end of the next section, from a clean start: `complete` has the chain of its length. A walker
 * that has ended walks empty sections. WB_ERR_LIMIT when memory is exhausted. */
wb_status code_walker_section(struct code_walker *walker);

/* Cycles that the banks of registers keep an instruction at its issue: of an entry of the code, by which it
 * is told apart from the probe for a constant. */
cycles code_bubbles(const struct timed_code *code, uint32_t entry);

#endif
