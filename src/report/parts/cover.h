/* What reports of covering paths say beside the bounds: which values were not known, and what that cost. */
#ifndef WB_REPORT_PARTS_COVER_H
#define WB_REPORT_PARTS_COVER_H

#include <jansson.h>

#include "base/text.h"
#include "bound/analysis/analysis.h"

/* The block of covering paths that an analysis is of; of a grid its first one. */
const struct wb_block *cover_block(const struct wb_analysis *analysis);

/* What depends on an unknown value, in words and as the name in JSON. */
const char *cover_need_text(enum cover_need need);
const char *cover_need_name(enum cover_need need);

/* The bound of the same method with the given data, or NULL. */
const wb_bound *cover_given_bound(const struct wb_analysis *analysis, const wb_bound *bound);

/* What a heading says of covering paths, and of the flow facts that they rest on. */
void cover_put_heading(struct text *out, const struct wb_block *block);

/* Each instruction that depends on an unknown value, and where the value comes from; false when memory is
 * exhausted. */
bool cover_put_causes(struct text *out, const struct wb_block *block);

/* The flow facts that covering paths rest on, null without any, or NULL when memory is exhausted. */
json_t *cover_facts_json(const struct wb_block *block);

/* What cover_put_causes writes as an array, or NULL when memory is exhausted. */
json_t *cover_causes_json(const struct wb_block *block);

#endif
