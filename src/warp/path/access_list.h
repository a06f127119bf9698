/* What of a record of an access decides which requests it makes. */
#ifndef WB_WARP_PATH_ACCESS_LIST_H
#define WB_WARP_PATH_ACCESS_LIST_H

#include "warp/path/block.h"

/* Addresses of global memory that differ by a multiple of this make the same requests: the longest line of
 * one. */
#define REQUEST_ALIGN 128u

/* All but where in global memory it is, as a whole. Without padding, so that keys can be hashed and compared.
 */
struct access_key {
    uint64_t step, address, stride;
    uint32_t instruction, mask, unsure, object;
    uint8_t bytes, space, kind,
        addresses; /* kind: load, store or atomic; addresses: affine, table, unknown */
    uint8_t unused[4];
};

struct access_key access_key_of(const struct access *access, const uint64_t *tables);

/* Whether its addresses are in the table. */
bool access_has_table(const struct access *access);

/* Notes that no lane is certain to execute some steps, which end behind all those noted before.
 * WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status step_range_add(struct access_list *list, const struct step_range *range);

/* Frees what the list holds. */
void access_list_free(struct access_list *list);

/* Removes records that make the same requests as an earlier one of the same instruction: of paths that repeat
 * iterations, whose steps nobody looks up. Records of several state spaces in one step, and those with
 * tables, stay. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status access_list_thin(struct access_list *list);

#endif
