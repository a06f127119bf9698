/* A sweep as its file describes it: products of axes, in turn (docs/sweep.md). */
#ifndef WB_WINGS_SWEEP_SWEEP_H
#define WB_WINGS_SWEEP_SWEEP_H

#include <glob.h>

#include "base/base.h"
#include "base/files.h"
#include "base/wing.h"
#include "warpbound_sweep.h"

/* ---- What a sweep can vary (axis.c) ---- */

/* The rows, in the order in which parameters are listed; NULL past the end. The last one is that of the keys
 * of the machine, which have no key of their own here. */
const struct axis_row *axis_at(size_t index);

/* The row of a parameter that is no key of the machine, or NULL. */
const struct axis_row *axis_named(const char *key);

/* The row of all parameters that have names of their own: single arguments, keys of the machine. */
const struct axis_row *axis_of_kind(enum axis_kind kind);

/* The unit of a parameter, be it of a row or a key of the machine; NULL: it has none. */
const char *axis_unit(const char *name);

/* How two names of parameters are ordered: those of rows as the rows are, keys of the machine behind them by
 * their names. Less than, equal to, or greater than 0. */
int axis_compare(const char *a, const char *b);

/* ---- The file ---- */

/* Most values of one axis, and units of a sweep. */
#define AXIS_VALUES_MAX 10000u
#define SWEEP_UNITS_MAX UINT64_C(10000000)

/* Most axes of a product. */
#define SWEEP_AXES_MAX 64u

struct axis_value {
    const char *text;
    const char *path;              /* of a file: as it can be opened; of a preset its name; else NULL */
    const struct ytree_node *node; /* where it stands */
    const char *digest;            /* of the files behind it, once they were read (units.c) */
};

typedef VEC(struct axis_value) axis_values;

struct sweep_axis {
    const struct axis_row *row;
    const char *name; /* of the parameter: the row's key, or the key of the machine */
    axis_values values;
};

/* Units of a product that an earlier one has, too: those of which each value is in both. */
struct sweep_overlap {
    bool **common; /* by axes and their values */
};

/* Every combination of one value of each axis; the last axis changes fastest. */
struct sweep_product {
    VEC(struct sweep_axis) axes;
    VEC(struct sweep_overlap) overlaps;
    uint64_t count;
};

/* Units of which each of these parameters matches its pattern are left out. */
struct sweep_exclusion {
    VEC(struct sweep_match {
        const char *name;
        VEC(const char *) patterns; /* one of them */
    })
    matches;
};

struct wb_sweep {
    struct arena arena;
    char *text; /* of the file, malloced */
    struct ytree document;
    const char *folder;                   /* of the file, which paths are relative to */
    VEC(struct sweep_product) products;   /* in the order of the file */
    VEC(struct sweep_exclusion) excluded; /* of all products */
    double time_limit;                    /* seconds of a unit; 0: none */
    uint64_t memory_limit;                /* bytes of a unit; 0: none */
    bool allow_files;
    glob_t found;                    /* files of the pattern that was read last, */
    wb_machine *machine;             /* the machine, */
    struct wb_diagnostics discarded; /* and what was wrong with it, or with what else was tried */
    size_t product;                  /* the next unit is of this one, */
    uint64_t index;                  /* with this number in it */
};

/* The axis of that name, or NULL. */
const struct sweep_axis *sweep_find_axis(const struct sweep_product *product, const char *name);

/* The axis of what is analysed, `code`, `simulate` or `string`, of which a product has one; NULL: it has
 * none. */
const struct sweep_axis *sweep_subject(const struct sweep_product *product);

/* Loads sweep->machine, or leaves an error in sweep->discarded, instead of those before. */
wb_status sweep_load_machine(wb_sweep *sweep, const char *path);
void sweep_unload_machine(wb_sweep *sweep);

/* Sets a key of sweep->machine, "KEY=VALUE", or leaves an error as above. */
wb_status sweep_set_machine(wb_sweep *sweep, const char *setting);

/* Makes room for errors of what is tried next. */
void sweep_forget_errors(wb_sweep *sweep);

/* The first error that was left, in the arena. */
const char *sweep_discarded_error(wb_sweep *sweep);

/* A path of the file as it can be opened, in the arena; NULL when memory is exhausted. */
const char *sweep_path(const char *folder, const char *path, struct arena *arena);

/* Parses a sweep file; paths in it are relative to `folder`, and `name` stands for it in messages. */
wb_status sweep_parse(const char *name, const char *folder, const char *text, size_t size,
                      wb_diagnostics *diagnostics, wb_sweep **sweep);

/* Reads the values of an axis, which has its row and its name; each is kept once. Memory is of the sweep's
 * arena, which is protected. WB_ERR_INPUT with a message for each that is wrong. */
wb_status values_read(wb_sweep *sweep, const struct ytree_node *node, struct sweep_axis *axis);

/* WB_ERR_INPUT with a message for keys that are not of the subject, for values of keys that no machine of the
 * product takes, for single arguments that no launch of it has, and for deadlines. */
wb_status sweep_check_product(wb_sweep *sweep, const struct sweep_product *product);

/* Finds the units of a product that those of the sweep have already. */
void sweep_find_overlaps(wb_sweep *sweep, struct sweep_product *product);

#endif
