/* What reports of covering paths say beside the bounds: which values were not known, and what that cost. */
#ifndef WB_REPORT_PARTS_COVER_H
#define WB_REPORT_PARTS_COVER_H

#include "report/write/json.h"
#include "report/write/layout.h"
#include "warp/path/path.h"

/* What a heading says of covering paths, and of the flow facts that they rest on. */
void cover_put_heading(struct text *out, const struct wb_block *block);

/* Each instruction that depends on an unknown value, and where the value comes from. What fails shows in
 * out->failed.
 */
void cover_put_causes(struct text *out, const struct layout *layout, const struct wb_block *block);

/* A sentence that says how many they are and where, for those who do not ask for all of them. */
void cover_put_summary(struct text *out, const struct layout *layout, const struct wb_block *block);

/* Members of the innermost object: "facts", the flow facts that covering paths rest on, null without any;
 * "unknown", what cover_put_causes writes. */
void cover_json(struct json *json, const struct wb_block *block);

#endif
