/* A makespan problem as the user describes it, before its transformation, and the settings of the methods. */
#ifndef WB_STRINGS_SPEC_H
#define WB_STRINGS_SPEC_H

#include <stdint.h>

#include "base/files.h"
#include "wings/makespan/strings/notation.h"

/* What the user wants of the makespan methods, beside the problem itself. */
struct makespan_settings {
    double time_limit;      /* seconds for each method; 0: none */
    double processor_limit; /* processor seconds of this process, or of a solver, for each method; 0: none */
    uint64_t memory;        /* bytes that tables and searches may take; 0: MAKESPAN_MEMORY_DEFAULT */
    uint32_t threads;       /* 0: as many as the machine has */
    uint32_t seed;          /* of random numbers */
    uint32_t anneal_instances;  /* independent runs of the annealing */
    uint32_t anneal_iterations; /* of each */
    double anneal_temperature;  /* T0 of ETFA'13 */
    uint32_t extrapolate_from;  /* x of ECRTS'12 eq. (42); 0: chosen by the method */
};

/* The same on every machine, as results depend on it: four gigabytes. */
#define MAKESPAN_MEMORY_DEFAULT ((uint64_t)4 << 30)

/* As ETFA'13 section VIII has them, where it says. */
#define MAKESPAN_SETTINGS_DEFAULTS                                                                           \
    { .seed = 1, .anneal_instances = 8, .anneal_iterations = 400000, .anneal_temperature = 0.3 }

/* Lanes of a warp. */
#define WARP_SIZE_MAX 1024u

/* numerator / denominator; 0/0 where nothing was given. */
struct ratio {
    uint32_t numerator, denominator;
};

/* Warps with one string. */
struct spec_group {
    uint32_t warps; /* 0: as many as `warps` of the problem says */
    struct unit_string string;
};

struct makespan_spec {
    VEC(struct spec_group) groups;
    uint32_t warps;                 /* 0: not given */
    struct ratio units[UNIT_TYPES]; /* sigma; with a warp size the number of units */
    uint32_t warp_size;             /* 0: `units` gives sigma itself */
    uint32_t cycles[UNIT_TYPES];    /* of one instruction of the type; 0: not given, so 1 */
    uint32_t issue;                 /* Omega, or ISSUE_UNLIMITED */
    struct makespan_settings settings;
    struct arena texts; /* of these: */
    input_list inputs;  /* what the strings were read from */
};

void spec_init(struct makespan_spec *spec);
void spec_free(struct makespan_spec *spec);

/* Sets a key: one of the spec's members or of its settings (docs/makespan.md lists them). WB_ERR_INPUT with a
 * message about the subject for an unknown key or a wrong value. */
wb_status spec_set(struct makespan_spec *spec, const char *key, const char *value,
                   const struct subject *subject, wb_diagnostics *diagnostics);

/* Adds `warps` warps (0: as many as spec.warps will say) with the string, which is empty afterwards, also
 * after an error. WB_ERR_LIMIT when memory is exhausted. */
wb_status spec_add_string(struct makespan_spec *spec, uint32_t warps, struct unit_string *string,
                          wb_diagnostics *diagnostics);

/* Notes what strings were read from. WB_ERR_LIMIT with a message when memory is exhausted. */
wb_status spec_add_input(struct makespan_spec *spec, const wb_input *input, wb_diagnostics *diagnostics);

/* Adds warps: "LLC", or "12:LLC" for twelve of them. */
wb_status spec_add_warps(struct makespan_spec *spec, const char *text, const struct subject *subject,
                         wb_diagnostics *diagnostics);

#endif
