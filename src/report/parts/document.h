/* How every JSON document begins: with the name and the version of its format. */
#ifndef WB_REPORT_PARTS_DOCUMENT_H
#define WB_REPORT_PARTS_DOCUMENT_H

#include "report/write/json.h"

/* What there are schemas for: docs/schema/NAME.schema.json. */
enum document {
    DOCUMENT_ANALYZE, /* bounds and simulations of a launch; also what `simulate` says of a block */
    DOCUMENT_STREAM,
    DOCUMENT_SIMULATE,
    DOCUMENT_CACHE,
    DOCUMENT_ORDER,
    DOCUMENT_OCCUPANCY,
    DOCUMENT_CODE,
    DOCUMENT_PATH,
    DOCUMENT_REQUESTS, /* path --format jcse-json */
    DOCUMENT_MAKESPAN,
    DOCUMENT_MESSAGES, /* of a run that failed */
    DOCUMENT_MACHINE,
    DOCUMENT_MACHINES, /* the list of presets */
    DOCUMENT_FIGURES,  /* machine check */
    DOCUMENT_SWEEP     /* sweep show */
};

/* Opens the object of a document and writes its first members, "format" and "warpbound". */
void document_open(struct json *json, enum document what);

#endif
