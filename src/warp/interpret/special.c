/* Special registers: what a launch determines is known, what a run of the hardware determines is not. */
#include "warp/interpret/warp.h"

/* Which dimension a component of a vector register is; w is always 0. */
static uint64_t component(const uint32_t *dimensions, uint32_t axis) {
    return axis < 3 ? dimensions[axis] : 0;
}

/* %tid of a lane; threads are numbered along x first. */
static uint64_t thread_index(const struct warp *warp, uint32_t lane, uint32_t axis) {
    const uint32_t *size = warp->run->size;
    uint32_t thread = warp->number * warp->run->warp_width + lane;
    if (axis == 0) return thread % size[0];
    if (axis == 1) return thread / size[0] % size[1];
    return axis == 2 ? thread / size[0] / size[1] : 0;
}

static uint64_t lane_mask(uint32_t sreg, uint32_t lane) {
    uint32_t own = 1u << lane;
    switch (sreg) {
    case PTX_SREG_LANEMASK_EQ: return own;
    case PTX_SREG_LANEMASK_LT: return own - 1;
    case PTX_SREG_LANEMASK_LE: return own | (own - 1);
    case PTX_SREG_LANEMASK_GT: return ~(own | (own - 1));
    default: return ~(own - 1);
    }
}

/* A register of four components that stand together from `first` on. */
static bool is_component(uint32_t sreg, uint32_t first, uint32_t *axis) {
    *axis = sreg - first;
    return sreg >= first && sreg < first + 4;
}

/* The value of a register in a lane; false when it is not known. A launch without clusters is one of clusters
 * of one block; the number of a warp is its place in the block. */
static bool special_value(const struct warp *warp, uint32_t sreg, uint32_t lane, uint64_t *value) {
    const struct run *run = warp->run;
    static const uint32_t ones[3] = {1, 1, 1};
    uint32_t axis;
    *value = 0;
    if (sreg >= PTX_SREG_CLUSTERID_X && sreg <= PTX_SREG_IS_EXPLICIT_CLUSTER &&
        ptx_in_clusters(kernel_function(run->kernel)))
        return false;
    if (is_component(sreg, PTX_SREG_TID_X, &axis))
        *value = thread_index(warp, lane, axis);
    else if (is_component(sreg, PTX_SREG_NTID_X, &axis))
        *value = component(run->size, axis);
    else if (is_component(sreg, PTX_SREG_CTAID_X, &axis) || is_component(sreg, PTX_SREG_CLUSTERID_X, &axis))
        *value = component(run->index, axis);
    else if (is_component(sreg, PTX_SREG_NCTAID_X, &axis) || is_component(sreg, PTX_SREG_NCLUSTERID_X, &axis))
        *value = component(run->grid, axis);
    else if (is_component(sreg, PTX_SREG_CLUSTER_NCTAID_X, &axis))
        *value = component(ones, axis);
    else if (is_component(sreg, PTX_SREG_CLUSTER_CTAID_X, &axis))
        *value = 0;
    else if (sreg >= PTX_SREG_LANEMASK_EQ && sreg <= PTX_SREG_LANEMASK_GT)
        *value = lane_mask(sreg, lane) & lanes_first(run->warp_width);
    else if (sreg == PTX_SREG_LANEID)
        *value = lane;
    else if (sreg == PTX_SREG_WARPID)
        *value = warp->number;
    else if (sreg == PTX_SREG_CLUSTER_NCTARANK)
        *value = 1;
    else if (sreg == PTX_SREG_DYNAMIC_SMEM_SIZE)
        *value = run->launch->shared_bytes;
    else
        return sreg == PTX_SREG_CLUSTER_CTARANK || sreg == PTX_SREG_IS_EXPLICIT_CLUSTER;
    return true;
}

/* Whether a register is the same in all threads of a block and another in the next block. */
static bool depends_on_block(uint32_t sreg) {
    uint32_t axis;
    return is_component(sreg, PTX_SREG_CTAID_X, &axis) || is_component(sreg, PTX_SREG_CLUSTERID_X, &axis);
}

static void fill(struct warp *warp, uint32_t sreg, struct lanes *lanes) {
    lanes->known = LANES_ALL;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        if (special_value(warp, sreg, l, &lanes->value[l])) continue;
        lanes_forget(lanes, 1u << l, ORIGIN_READER);
    }
}

void warp_fill_special(struct warp *warp) {
    const struct program *program = &warp->run->program;
    for (size_t i = 0; i < program->sregs.count; i++)
        fill(warp, program->sregs.items[i], &warp->banks[BANK_SPECIAL][i]);
}

void warp_move_special(struct warp *warp) {
    const struct program *program = &warp->run->program;
    for (size_t i = 0; i < program->sregs.count; i++) {
        uint64_t value;
        if (depends_on_block(program->sregs.items[i]) &&
            special_value(warp, program->sregs.items[i], 0, &value))
            lanes_broadcast(&warp->banks[BANK_SPECIAL][i], value);
    }
}
