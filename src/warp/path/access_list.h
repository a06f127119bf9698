/* The accesses to memory of one warp, in the order of its path, and what of them decides which requests they
 * make. */
#ifndef WB_WARP_PATH_ACCESS_LIST_H
#define WB_WARP_PATH_ACCESS_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* One executed memory instruction with its addresses. Lane l of `mask` accesses `bytes` bytes at
 * base + stride * l when table == ACCESS_AFFINE, else at tables[table + (rank of l in mask)]. */
struct access {
    uint64_t step; /* position in the warp's path, from 0 */
    uint64_t base;
    int64_t stride;
    uint32_t instruction;
    uint32_t mask;
    uint32_t table;
    uint32_t unsure; /* of a covering path: lanes of `mask` that are perhaps not there */
    uint32_t object; /* of unknown addresses: 1 + the memory that they are in; 0: anywhere in the space */
    uint8_t bytes;   /* per lane */
    uint8_t space;   /* enum ptx_space, generic addresses resolved; a function's .param is no local memory */
    bool is_store;   /* false for loads; atomics are both: is_atomic */
    bool is_atomic;
};

#define ACCESS_AFFINE UINT32_MAX
#define ACCESS_UNKNOWN (UINT32_MAX - 1) /* the addresses are not known */

/* Steps first .. end - 1 of a path. */
struct step_range {
    uint64_t first, end;
};

struct access_list {
    VEC(struct access) items;
    VEC(uint64_t) tables;
    VEC(struct step_range) perhaps; /* steps that no lane is certain to execute, ascending */
};

/* Memory that an unknown address can be restricted to: a buffer or variable, at generic addresses. */
struct memory_object {
    uint64_t base, size;
    uint32_t argument; /* the number of the argument that it is passed as, from 1; 0: none */
    const char *name;  /* else: of the variable, the module's */
};

struct memory_objects {
    VEC(struct memory_object) items;
};

/* Addresses of global memory that differ by a multiple of this make the same requests: the longest line of
 * one. */
#define REQUEST_ALIGN 128u

/* What of a record decides which requests it makes: all but where in global memory it is, as a whole. Without
 * padding, so that keys can be hashed and compared. */
struct access_key {
    uint64_t step, address, stride;
    uint32_t instruction, mask, unsure, object;
    uint8_t bytes, space, kind,
        addresses; /* kind: load, store or atomic; addresses: affine, table, unknown */
    uint8_t unused[4];
};

struct access_key access_key_of(const struct access *access, const uint64_t *tables);

/* Notes that no lane is certain to execute some steps, which end behind all those noted before.
 * WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status step_range_add(struct access_list *list, const struct step_range *range);

/* Bytes that the records take. */
uint64_t access_list_bytes(const struct access_list *list);

/* Frees what the list holds. */
void access_list_free(struct access_list *list);

/* Removes records that make the same requests as an earlier one of the same instruction: of paths that repeat
 * iterations, whose steps nobody looks up. Records of several state spaces in one step, and those with
 * tables, stay. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status access_list_thin(struct access_list *list);

#endif
