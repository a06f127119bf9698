/* Algorithm 1 of ECRTS 2025 with the repairs of docs/proofs.md, section 6: one isolated warp on the machine,
 * with one instance of every unit, cut into sections at its barriers. Each section starts on a clean machine.
 * No counter runs down: times are absolute, and only maxima and sums with constants (docs/proofs.md, section
 * 11). They are added without checks, as timed_block_check bounds them. */
#ifndef WB_BOUND_PROFILE_PHASES_H
#define WB_BOUND_PROFILE_PHASES_H

#include "bound/profile/chain.h"
#include "bound/profile/max_plus.h"
#include "bound/profile/progress.h"

/* A stretch of a section (definition 1 of the paper): in an execution phase some unit initiates in every
 * cycle, in an idle phase none does. */
struct phase {
    cycles start, end; /* [start, end), counted from the start of the section */
    bool idle;
};

/* Takes the phases of one path in order. A status other than WB_OK ends the analysis with it. */
struct phase_sink {
    wb_status (*phase)(void *user, uint64_t section, const struct phase *phase);
    void *user;
};

/* The profile of one section of one path. */
struct section_profile {
    uint64_t instructions;
    cycles iso;                 /* until everything is complete: the sum of all phases */
    cycles exec;                /* the sum of the execution phases */
    cycles initiations;         /* the sum of the initiation intervals */
    cycles charge;              /* the same as SIB sums them: at depth 1 with the largest of each unit */
    cycles local;               /* the part of `charge` on units that sub-cores do not share */
    cycles private_initiations; /* the part of `initiations` on these */
    bool active;                /* it has instructions, be they without a unit, or mere barriers */
};

/* One register of the walking warp. */
struct phase_register {
    struct chain_time ready; /* when it can be read, isolated on the machine */
    struct chain_time
        latency; /* the same on the path that counts latencies only (docs/proofs.md, section 8) */
};

/* A unit, of which the walking warp has one instance. */
struct phase_unit {
    struct chain_time free;    /* when its last initiation ends */
    struct chain_time *starts; /* ring of the last ones, as many as its queue holds; none without limit */
    uint32_t oldest;           /* of them */
};

/* Walks along one path. The chains of one kind of times may be followed: of the isolated warp on the machine,
 * or of the path that counts latencies only. */
struct phase_walker {
    const struct timed_block *block;
    const struct phase_sink *sink; /* or NULL */
    struct chains *alone_chains;   /* NULL: nobody asks where these times come from */
    struct chains *latency_chains; /* the same */
    struct path_cursor begin;      /* of the section walked last */
    struct path_cursor cursor;
    const cycles *charges; /* per unit the least charge of an instruction, see phase_charges */
    struct phase_unit *units;
    uint32_t queued; /* entries of a queue, whose starts are kept */
    struct phase_register *registers;
    struct warp_progress progress;      /* followed where there are several sub-cores */
    cycles base;                        /* start of the section */
    struct chain_time now;              /* earliest cycle of the next issue */
    cycles exec_start;                  /* of the execution phase being built; only kept for the sink */
    cycles exec_end;                    /* when the last initiation so far ends */
    struct chain_time complete;         /* when the last result so far can be read */
    struct chain_time latency;          /* the latency path to the last issue */
    struct chain_time latency_complete; /* the longest latency path to a result so far */
    time_sum turns;   /* sum of the ends and beginnings of the phases in `exec`; wraps round */
    uint64_t section; /* number of the section to be walked next */
    bool ended;
};

/* A list of times that belong together, where they stand. */
typedef VEC(struct chain_time *) time_list;

/* Adds all times of the walker of one kind to a list in a protected arena. */
void phase_walker_times(struct phase_walker *walker, bool alone, struct arena *arena, time_list *list);

/* The least that SIB charges per unit for an instruction on it: at depth 1 the largest initiation interval of
 * the unit's instructions in the block, else 0. An array of the machine's unit_count from `arena`, or NULL
 * when memory is exhausted. */
const cycles *phase_charges(const struct timed_block *block, struct arena *arena);

/* A walker at the start of path number `path`; its memory comes from `arena`. WB_ERR_LIMIT when memory is
 * exhausted. */
wb_status phase_walker_init(struct phase_walker *walker, const struct timed_block *block, uint32_t path,
                            const cycles *charges, struct arena *arena);

/* Most instructions of a path whose phases are worth listing: some 50 MB of text. */
#define PHASES_LISTED_MAX ((uint64_t)1 << 20)

/* Walks to the end of the next section: behind the next barrier, or to the end of the path, which sets
 * `ended`. A walker that has ended gives empty sections. Without a sink repetitions of loops are skipped
 * where that changes nothing. */
wb_status phase_walker_section(struct phase_walker *walker, struct section_profile *profile);

/* All phases of one path into `sink`. WB_ERR_LIMIT with a message when memory is exhausted, else what the
 * sink returned. */
wb_status phases_of_path(const struct timed_block *block, uint32_t path, const struct phase_sink *sink,
                         wb_diagnostics *diagnostics);

#endif
