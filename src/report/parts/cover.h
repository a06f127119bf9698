/* Reports of covering paths besides the bounds: the unknown values, and their cost. */
#ifndef WB_REPORT_PARTS_COVER_H
#define WB_REPORT_PARTS_COVER_H

#include "report/write/json.h"
#include "report/write/layout.h"
#include "warp/path/path.h"

/* The lines of a heading about covering paths and the flow facts that they use. */
void cover_put_heading(struct text *out, const struct wb_block *block);

/* Each instruction that depends on an unknown value, and where the value comes from. What fails shows in
 * out->failed.
 */
void cover_put_causes(struct text *out, const struct layout *layout, const struct wb_block *block);

/* A sentence that says how many they are and where, for those who do not ask for all of them. */
void cover_put_summary(struct text *out, const struct layout *layout, const struct wb_block *block);

/* Members of the innermost object: "facts", the flow facts that covering paths use, null without any;
 * "unknown", written by cover_put_causes. */
void cover_json(struct json *json, const struct wb_block *block);

#endif
