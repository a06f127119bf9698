/* Random small grids for the machine of level_machine.h, their bounds and executions that come near them. */
#ifndef WB_TESTS_LEVEL_CHECK_H
#define WB_TESTS_LEVEL_CHECK_H

#include "base/base.h"
#include "level_machine.h"

/* Ways to add up what is filled once. */
enum level_sum {
    LEVEL_WHOLE,       /* nothing is left out */
    LEVEL_ONE_PASS,    /* nothing for own later instructions that a second pass waits for */
    LEVEL_NO_PASS,     /* fills of pages only */
    LEVEL_NO_STORES,   /* DRAM passes nothing that is stored */
    LEVEL_PAGES_ONCE,  /* where blocks come in several waves */
    LEVEL_IN_ORDER,    /* own accesses keep their order at the second level */
    LEVEL_KEPT_BESIDE, /* the second level keeps sectors, though others evict them */
    LEVEL_NO_BURST,    /* nothing for requests of others that come at any time */
    LEVEL_NO_RATE,     /* nothing for those that come regularly */
    LEVEL_STORES_KEPT  /* the first level keeps what is loaded, though it is changed */
};

/* The least bound of the grid. What a second pass waits for depends on how the machine orders these: nothing
 * of its own warp, one hold of the LSU, or all own ones as on a unit in any order. */
uint64_t level_bound(const struct level_machine *machine, enum level_sum sum);

/* Sectors that DRAM passes at most for blocks `first` to end - 1; where nothing keeps them each time that
 * they are asked for. */
uint64_t level_transfers(const struct level_machine *machine, uint32_t first, uint32_t end, bool stores,
                         bool kept);

/* What grids have more of. */
struct level_family {
    const char *name;
    bool pages, sectors; /* that are filled */
    bool barriers, several;
    bool loads; /* that the first level keeps */
    bool others;
};

#define LEVEL_FAMILIES 13u
extern const struct level_family level_families[LEVEL_FAMILIES];

void level_draw(const struct level_family *family, uint64_t seed, struct level_machine *machine);

/* The longest of so many executions: tapes that are changed and kept where they are not worse. */
uint32_t level_climb(const struct level_machine *machine, uint64_t seed, uint32_t runs);

void level_print(const struct level_machine *machine, struct text *out);

#endif
