#include "warp/cover/launch_environment.h"

/* Bytes of an argument from `offset` on; false when they are not known. */
static bool argument_bytes(const struct launch_argument *argument, uint64_t offset, uint32_t bytes,
                           uint64_t *value) {
    const struct launch_contents *contents = &argument->contents;
    bool is_struct = argument->type == PTX_TYPE_NONE;
    uint64_t size = is_struct ? launch_contents_size(contents) : ptx_type_bytes(argument->type);
    if (argument->is_buffer || bytes > sizeof *value || size < bytes || offset > size - bytes) return false;
    if (is_struct ? contents->fill != LAUNCH_FILL_FILE : !argument->known) return false;
    *value = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        uint64_t at = offset + i, byte = argument->bits >> (8 * (at & 7)) & 0xff;
        if (is_struct) byte = at < contents->file_size ? contents->file_bytes[at] : 0;
        *value |= byte << (8 * i);
    }
    return true;
}

/* The environment's callback: the parameters of the kernel, in the order of the arguments. */
static bool known_parameter(const void *user, uint32_t variable, uint64_t offset, uint32_t bytes,
                            uint64_t *value) {
    const struct launch_environment *filled = user;
    const struct ptx_function *kernel = kernel_function(filled->kernel);
    for (uint32_t i = 0; i < kernel->param_count && i < filled->launch->arguments.count; i++) {
        if (kernel->params[i] != variable || kernel->param_is_reg[i]) continue;
        return argument_bytes(&filled->launch->arguments.items[i], offset, bytes, value);
    }
    return false;
}

static struct sreg_range between(uint64_t low, uint64_t high) {
    return (struct sreg_range){true, low, high};
}

/* The thread indices along one axis that threads first .. last have, `inner` threads making one step of it.
 */
static struct sreg_range thread_indices(const struct thread_span *threads, uint32_t inner, uint32_t size) {
    uint32_t low = threads->first / inner, high = threads->last / inner;
    if (high / size != low / size) return between(0, size - 1);
    return between(low % size, high % size);
}

void launch_environment_fill(const struct wb_kernel *kernel, const struct wb_launch *launch,
                             const struct launch_scope *scope, struct launch_environment *filled) {
    *filled = (struct launch_environment){.kernel = kernel, .launch = launch};
    struct sreg_range *sregs = filled->environment.sregs;
    struct thread_span all = {0, launch->block[0] * launch->block[1] * launch->block[2] - 1};
    const struct thread_span *threads = scope->threads != NULL ? scope->threads : &all;
    uint32_t inner = 1;
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t size = launch->block[axis], blocks = launch->grid[axis];
        sregs[PTX_SREG_TID_X + axis] = thread_indices(threads, inner, size);
        sregs[PTX_SREG_NTID_X + axis] = between(size, size);
        sregs[PTX_SREG_CTAID_X + axis] =
            scope->block != NULL ? between(scope->block[axis], scope->block[axis]) : between(0, blocks - 1);
        sregs[PTX_SREG_NCTAID_X + axis] = between(blocks, blocks);
        inner *= size;
    }
    sregs[PTX_SREG_LANEID] = between(0, WARP_LANES - 1);
    sregs[PTX_SREG_DYNAMIC_SMEM_SIZE] = between(launch->shared_bytes, launch->shared_bytes);
    filled->environment.parameter = known_parameter;
    filled->environment.user = filled;
}
