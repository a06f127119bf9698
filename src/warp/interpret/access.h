/* The addresses of one executed memory instruction: where each lane's bytes are, and the record of them. */
#ifndef WB_WARP_INTERPRET_ACCESS_H
#define WB_WARP_INTERPRET_ACCESS_H

#include "warp/interpret/warp.h"

/* Computes the generic addresses of an operand in every lane of `mask`. WB_ERR_DECLINED when the base is
 * unknown in one of these lanes, WB_ERR_INPUT when an address is outside of the operand's state space. */
wb_status access_addresses(struct warp *warp, const struct micro *op, const struct micro_address *address,
                           uint32_t mask, uint64_t addresses[WARP_LANES]);

/* The same without messages: false in both cases. */
bool access_addresses_known(const struct warp *warp, const struct micro_address *address, uint32_t mask,
                            uint64_t addresses[WARP_LANES]);

/* The region that holds `bytes` bytes at every address of `mask`, all aligned to `align`, or NULL: then lanes
 * have to be looked at one by one. */
struct region *access_common_region(const struct warp *warp, const struct micro *op, uint32_t mask,
                                    const uint64_t addresses[WARP_LANES], uint32_t bytes, uint32_t align);

/* Where a lane's `bytes` bytes are; at most 8 of them from each `place` on, bytes >= 8 asks for several units
 * that follow one another. WB_ERR_INPUT with a message when the address is not aligned, or in no region
 * unless the run allows that. */
wb_status access_place(const struct warp *warp, const struct micro *op, uint32_t lane, uint64_t address,
                       uint32_t bytes, bool is_store, struct place *place);

/* What an access does, for its record. */
struct access_kind {
    uint32_t bytes; /* per lane */
    bool is_store, is_atomic;
};

/* Records the access to operand `address` if the run records accesses: once for each state space that a
 * generic address meets. WB_ERR_LIMIT with a message when memory is exhausted. */
wb_status access_record(struct warp *warp, const struct micro *op, const struct micro_address *address,
                        uint32_t mask, const uint64_t addresses[WARP_LANES], struct access_kind kind);

/* Records an access whose addresses are not known: `kind` says what the lanes of `mask` do. A generic address
 * is recorded for global memory (or local memory if there is any) and for shared memory. */
wb_status access_record_unknown(struct warp *warp, const struct micro *op,
                                const struct micro_address *address, uint32_t mask, struct access_kind kind);

/* Whether other warps can reach the memory of an access, as far as its state space says. */
bool access_is_shared(const struct run *run, const struct micro *op);

/* Whether a lane's access is one without an error: aligned, in memory that is there and may be written. */
bool access_is_possible(const struct warp *warp, uint64_t address, uint32_t bytes, bool is_store);

#endif
