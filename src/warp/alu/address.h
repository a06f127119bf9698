/* The generic address space of a run. Addresses of .shared and .local count from the start of their window;
 * in all other spaces they are generic addresses. All windows lie below 4 GB so that 32-bit modules work. */
#ifndef WB_WARP_ALU_ADDRESS_H
#define WB_WARP_ALU_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/opcode.h"

#define WINDOW_SIZE UINT64_C(0x1000000)

#define SHARED_WINDOW UINT64_C(0x1000000)
#define LOCAL_WINDOW UINT64_C(0x2000000) /* local memory, .param variables of functions included */
#define PARAM_WINDOW UINT64_C(0x3000000) /* parameters of the kernel */
#define CONST_WINDOW UINT64_C(0x4000000)
#define FUNCTION_WINDOW UINT64_C(0x5000000) /* function f is at FUNCTION_WINDOW + f * FUNCTION_STEP */
#define FUNCTION_STEP UINT64_C(16)
#define GLOBAL_START UINT64_C(0x10000000) /* variables of the module and buffers */

/* The same in 64-bit modules: far from what kernels compute with, so that numbers are not taken for addresses
 * (home.h). */
#define GLOBAL_START_64 UINT64_C(0x79d200000000)

/* The generic address that one of machine code's is. */
static inline uint64_t address_of_machine(uint64_t address) {
    const bool shared = address >> 32 == PTX_SHARED_UPPER_HALF;
    return shared ? (uint32_t)address + SHARED_WINDOW : address;
}

static inline bool in_window(uint64_t address, uint64_t window) {
    return address - window < WINDOW_SIZE;
}

/* Whether a generic address belongs to a state space. */
static inline bool address_in_space(uint64_t address, uint8_t space) {
    switch (space) {
    case PTX_SPACE_SHARED: return in_window(address, SHARED_WINDOW);
    case PTX_SPACE_LOCAL: return in_window(address, LOCAL_WINDOW);
    case PTX_SPACE_PARAM: return in_window(address, PARAM_WINDOW);
    case PTX_SPACE_CONST: return in_window(address, CONST_WINDOW);
    case PTX_SPACE_GLOBAL: return address >= GLOBAL_START;
    default: return false;
    }
}

/* The state space that a generic address belongs to; PTX_GENERIC for none. */
static inline uint8_t address_space_of(uint64_t address) {
    static const uint8_t spaces[] = {PTX_SPACE_GLOBAL, PTX_SPACE_SHARED, PTX_SPACE_LOCAL, PTX_SPACE_PARAM,
                                     PTX_SPACE_CONST};
    for (uint32_t i = 0; i < sizeof spaces; i++)
        if (address_in_space(address, spaces[i])) return spaces[i];
    return PTX_GENERIC;
}

/* What is added to an address of the space to make it generic. */
static inline uint64_t address_window(uint8_t space) {
    return space == PTX_SPACE_SHARED ? SHARED_WINDOW : space == PTX_SPACE_LOCAL ? LOCAL_WINDOW : 0;
}

/* The next multiple of `align` (0: of 1) that is not below `offset`. */
static inline uint64_t align_up(uint64_t offset, uint64_t align) {
    return align < 2 ? offset : (offset + align - 1) / align * align;
}

#endif
