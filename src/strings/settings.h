/* What the user wants of the makespan methods, beside the problem itself. */
#ifndef WB_STRINGS_SETTINGS_H
#define WB_STRINGS_SETTINGS_H

#include <stdint.h>

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

#endif
