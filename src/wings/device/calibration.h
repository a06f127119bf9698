/* What the probes came to, and what a machine says of the same accesses. */
#ifndef WB_WINGS_DEVICE_CALIBRATION_H
#define WB_WINGS_DEVICE_CALIBRATION_H

#include <time.h>

#include "machine/machine.h"
#include "warpbound_device.h"
#include "wings/device/probes.h"

struct wb_gpu_calibration {
    struct probe_exchange *exchange; /* memory of child_memory */
    time_t when;
    uint32_t margin; /* percent */
};

/* Cycles that accesses of a probe took. */
struct probe_times {
    uint64_t count;
    uint32_t least, median, p99, most;
};
struct probe_times calibration_times(const struct wb_gpu_calibration *calibration, enum probe probe);

/* What becomes of a figure of the machine. */
enum figure_use {
    FIGURE_REPLACED,
    FIGURE_OF_MEMORY, /* the same on the machine's highest clock: on a lower one what is behind the SMs takes
                         fewer of their cycles */
    FIGURE_RAISED     /* only: nobody can tell whether the accesses had what makes them slowest */
};

/* A figure of machines: `section.name.part` in their files, or as much of it as it has. */
struct figure {
    enum probe probe;
    const char *section, *name, *part;
    enum figure_use use;
    bool is_range; /* [least, most] */
};
#define FIGURES 20u
extern const struct figure figures[FIGURES]; /* those of one name, and of one key, stand together */

void figure_put_key(const struct figure *figure, struct text *out);

/* How a machine charges an access with the figure: `stages`, `beside` for other levels, and the figure
 * `times` times. */
struct figure_charge {
    uint32_t stages, beside, least, most, times;
};
struct figure_charge figure_charge_of(const struct wb_gpu_calibration *calibration,
                                      const struct wb_machine *machine, const struct figure *figure);

static inline uint64_t figure_charged(const struct figure_charge *charge) {
    return charge->stages + charge->beside + (uint64_t)charge->times * charge->most;
}

/* Whether both are of one key. */
bool figure_same_key(const struct figure *a, const struct figure *b);

/* What a machine file is to say of a figure, of itself. False: what the machine has stands. */
bool figure_measured(const struct wb_gpu_calibration *calibration, const struct wb_machine *machine,
                     const struct figure *figure, uint32_t *least, uint32_t *most);

/* What of a level's contents a kernel finds again, by its key of `sass`, as the machine has it. */
extern const char *const kept_keys[KEPT_LEVELS];
uint32_t kept_stated(const struct wb_machine *machine, enum kept_level level);

/* Whether less was kept. */
bool kept_is_less(const struct wb_gpu_calibration *calibration, const struct wb_machine *machine,
                  enum kept_level level);

/* machine_file.c: the GPU with its driver and clock, in one line of printable characters. */
void calibration_put_gpu(const struct wb_gpu_calibration *calibration, struct text *out);

#endif
