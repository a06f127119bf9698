/* What wings add to the library. A wing is a folder of src/wings/ with methods that the core does not need
 * and does not know: the build lists the wings that it has, and the core asks here. */
#ifndef WB_BASE_WING_H
#define WB_BASE_WING_H

#include <stddef.h>

struct axis_row; /* sweep/axis.h */

struct wing {
    /* What sweeps can vary besides the parameters of the core. */
    const struct axis_row *axes;
    size_t axis_count;
    /* The format of JSON reports (report/parts/document.h) whose bounds, all of one problem, a sweep takes
     * together, and the scope that it notes for them; or NULL. */
    const char *problem_format, *problem_scope;
};

/* The wings of this build; NULL past the end. */
const struct wing *wing_at(size_t index);

#endif
