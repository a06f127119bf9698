/* Results of sweeps in an SQLite database (docs/sweep.md has its tables). */
#ifndef WB_WINGS_SWEEP_DATABASE_H
#define WB_WINGS_SWEEP_DATABASE_H

#include <sqlite3.h>

#include "base/base.h"
#include "wings/sweep/outcome.h"

struct wb_results {
    sqlite3 *database;
    char *path;
    bool write;
    bool has_log; /* a write-ahead log was asked for */
};

/* The text of a column, "" where it is null. */
static inline const char *column_text(sqlite3_stmt *statement, int column) {
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text == NULL ? "" : (const char *)text;
}

/* Reports what SQLite says; always WB_ERR_INPUT, of a lack of memory WB_ERR_LIMIT. */
wb_status database_error(const struct wb_results *results, wb_diagnostics *diagnostics);

/* Gives up what this process has claimed (claim.c). */
void claims_drop(const wb_results *results);

/* The status behind a message that something failed: WB_ERR_LIMIT where memory was exhausted. */
wb_status database_failed(const wb_diagnostics *diagnostics);

/* Prepares a statement; NULL with a message where it cannot. */
sqlite3_stmt *database_prepare(const struct wb_results *results, const char *sql,
                               wb_diagnostics *diagnostics);

#endif
