#include "bound/cache/access_latencies.h"

#include "bound/cache/latency_path.h"

uint64_t accesses_of_block(const struct timed_grid *timed, uint32_t block) {
    uint64_t count = 0;
    for (uint32_t w = 0; w < timed->grid->warp_count; w++)
        count += traffic_pattern_of(&timed->traffic, block, w)->access_count;
    return count;
}

/* Those of a warp; returns where those of the next one are. An instruction with several accesses has one
 * latency. */
static uint32_t *warp_latencies(const struct timed_grid *timed, const struct must_hits *hits, uint32_t block,
                                uint32_t warp, uint32_t *made) {
    const struct request_latencies latencies = request_latencies_of(&timed->machine->memory);
    const uint32_t count = traffic_pattern_of(&timed->traffic, block, warp)->access_count;
    struct warp_steps steps = warp_steps_begin(timed, block, warp);
    struct warp_step step;
    for (uint32_t done = 0; done < count && warp_steps_next_of_sum(&steps, &step); done = steps.access) {
        const cycles latency = latency_of_step(&latencies, &step, must_hits_of(hits, block, warp));
        for (uint32_t a = done; a < steps.access; a++)
            made[a] = step.inst->unit == UNIT_NONE ? LATENCY_OF_CLASS : (uint32_t)latency;
    }
    return made + count;
}

void access_latencies(const struct timed_grid *timed, const struct must_hits *hits, uint32_t block,
                      uint32_t *latencies) {
    for (uint32_t w = 0; w < timed->grid->warp_count; w++)
        latencies = warp_latencies(timed, hits, block, w, latencies);
}

void access_initiations_set(const struct timed_grid *timed, uint32_t block, struct execution_cost *costs) {
    for (uint32_t w = 0; w < timed->grid->warp_count; w++) {
        const uint32_t count = traffic_pattern_of(&timed->traffic, block, w)->access_count;
        struct warp_steps steps = warp_steps_begin(timed, block, w);
        struct warp_step step;
        for (uint32_t done = 0; done < count && warp_steps_next_of_sum(&steps, &step); done = steps.access)
            for (uint32_t a = done; a < steps.access; a++)
                costs[a].init = (uint32_t)cycles_min(step.init, UINT32_MAX);
        costs += count;
    }
}

void access_latencies_set(const uint32_t *latencies, uint64_t count, struct execution_cost *costs) {
    for (uint64_t a = 0; a < count; a++)
        if (latencies[a] != LATENCY_OF_CLASS) costs[a].latency = latencies[a];
}
