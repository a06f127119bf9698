/* Random blocks of machine code, of all families in turn, as an analysis that writes certificates takes them.
 */
#ifndef WB_TESTS_RANDOM_CODE_H
#define WB_TESTS_RANDOM_CODE_H

#include "random_sass.h"
#include "sass_block.h"

/* The block of a seed, whose programs come so many times; must not be moved; free `block` with
 * timed_block_free. */
struct random_code {
    struct sass_grid grid;
    struct wb_machine machine;
    struct timed_block block;
};

static inline void random_code_make(uint64_t seed, uint32_t times, struct random_code *made) {
    random_sass_grid(&sass_families[seed % SASS_FAMILIES], seed, &made->grid);
    if (times > 1) sass_grid_end_in_jumps(&made->grid);
    sass_block_from(&made->grid, times, false, &made->machine, &made->block);
    made->machine.sass.constant_probe = SASS_PROBE;
    made->machine.issue_width = made->machine.issue_per_warp = 1;
}

#endif
