/* A machine file: all its keys, and how it becomes a machine. */
#ifndef WB_MACHINE_KEYS_H
#define WB_MACHINE_KEYS_H

#include "base/embedded.h"
#include "base/field.h"
#include "machine/machine.h"

/* Table of struct wb_machine. */
extern const struct field machine_fields[];

/* Whether the key is one of what the machine times: PTX, or machine code. */
bool machine_has_key(const struct wb_machine *machine, const char *key);

/* A machine with every default and nothing that a file must give. */
void machine_defaults(struct wb_machine *machine);

/* Parses a machine file. `name` stands for the file in messages. */
wb_status machine_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                        wb_machine **machine);

/* ---- Rows that blocks written by hand have, too (warp/synthetic), so that both have the same limits ------
 */

#define SUB_CORES_ROW(owner) NUMBER_ROW(owner, "sub_cores", sub_cores, 1, 16)
#define ISSUE_WIDTH_ROW(owner) NUMBER_ROW(owner, "issue_width", issue_width, 1, 8)
#define ISSUE_PER_WARP_ROW(owner) NUMBER_ROW(owner, "issue_per_warp", issue_per_warp, 1, 8)
#define DISPATCH_DEPTH_ROW(owner, ...)                                                                       \
    NUMBER_ROW(owner, "dispatch_depth", dispatch_depth, 0, MACHINE_TIME_MAX, .words = depth_words,           \
               __VA_ARGS__)
#define POLICY_ROW(owner) WORD_ROW(owner, "policy", policy, policy_words)
#define BARRIER_RELEASE_ROW(owner) NUMBER_ROW(owner, "barrier_release", barrier_release, 0, MACHINE_TIME_MAX)

/* "unlimited": DEPTH_UNLIMITED. */
extern const char *const depth_words[];
extern const char *const policy_words[]; /* of enum machine_policy */

#endif
