/* Claims: which process runs a unit, so that several sweeps with one database do not run it twice. A claim of
 * a process that is no more counts for nothing. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "wings/sweep/database.h"

/* Room for the name of a process: its number, when it began, and the boot of its machine. */
#define PROCESS_MAX 128u

/* The first line of a file, or its first bytes; false: there is none. */
static bool read_line(const char *path, char *line, size_t size) {
    FILE *file = fopen(path, "re");
    const bool is_read = file != NULL && fgets(line, (int)size, file) != NULL;
    if (file != NULL) (void)fclose(file);
    if (is_read) line[strcspn(line, "\n")] = '\0';
    return is_read;
}

/* The 22nd field of the line: when the process began. The second one, its name, may have blanks in it. */
static const char *start_of(const char *line) {
    const char *at = strrchr(line, ')');
    for (size_t field = 2; at != NULL && field < 22; field++) {
        at = strchr(at + 1, ' ');
        if (at == NULL) return NULL;
    }
    return at == NULL ? NULL : at + 1;
}

/* A name that no other process of this machine has had or will have; "" where there is no such process. */
static void name_process(uint64_t process, char name[PROCESS_MAX]) {
    char path[64], line[1024], boot[64] = "-";
    const char *start = NULL;
    (void)text_format(path, sizeof path, "/proc/%" PRIu64 "/stat", process);
    if (read_line(path, line, sizeof line)) start = start_of(line);
    (void)read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    name[0] = '\0';
    if (start != NULL)
        (void)text_format(name, PROCESS_MAX, "%" PRIu64 " %.*s %s", process, (int)strcspn(start, " "), start,
                          boot);
}

/* Whether a process is still there. */
static bool is_alive(const char *name) {
    char now[PROCESS_MAX];
    uint64_t process;
    if (!number_u64(name, strcspn(name, " "), &process)) return false;
    name_process(process, now);
    return strcmp(name, now) == 0;
}

/* Whether another process has claimed the unit, and is still there. */
static bool is_taken(sqlite3_stmt *claims, const char *own) {
    const char *holder = sqlite3_step(claims) == SQLITE_ROW ? column_text(claims, 0) : "";
    return holder[0] != '\0' && strcmp(holder, own) != 0 && is_alive(holder);
}

/* Claims a unit, in a transaction: *taken: somebody else has. */
static wb_status claim(const wb_results *results, const char *id, const char *own,
                       wb_diagnostics *diagnostics, bool *taken) {
    sqlite3_stmt *claims = database_prepare(results, "SELECT process FROM claim WHERE id = ?", diagnostics);
    sqlite3_stmt *mine = database_prepare(results, "INSERT OR REPLACE INTO claim VALUES(?, ?)", diagnostics);
    wb_status status = claims == NULL || mine == NULL ? database_failed(diagnostics) : WB_OK;
    if (status == WB_OK) {
        (void)sqlite3_bind_text(claims, 1, id, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(mine, 1, id, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(mine, 2, own, -1, SQLITE_STATIC);
        *taken = is_taken(claims, own);
    }
    if (status == WB_OK && !*taken && sqlite3_step(mine) != SQLITE_DONE)
        status = database_error(results, diagnostics);
    sqlite3_finalize(claims);
    sqlite3_finalize(mine);
    return status;
}

/* What is known of a unit may have changed until the transaction began. */
static wb_status claim_unknown(const wb_results *results, const wb_sweep_unit *unit, bool retry,
                               wb_diagnostics *diagnostics, wb_claim *claimed, wb_outcome *outcome) {
    char own[PROCESS_MAX];
    bool is_known = false, is_taken_by_other = false;
    wb_status status = wb_results_has(results, unit, retry, diagnostics, &is_known, outcome);
    name_process((uint64_t)getpid(), own);
    if (status == WB_OK && !is_known) status = claim(results, unit->id, own, diagnostics, &is_taken_by_other);
    *claimed = is_known ? WB_CLAIM_KNOWN : is_taken_by_other ? WB_CLAIM_OTHER : WB_CLAIM_OWN;
    return status;
}

/* While units run, whoever reads waits for nobody. What only puts databases together keeps the journal that
 * all machines of a network file system can use. */
static void use_log(wb_results *results) {
    if (results->has_log) return;
    results->has_log = true;
    (void)sqlite3_exec(results->database, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
}

wb_status wb_results_claim(wb_results *results, const wb_sweep_unit *unit, bool retry,
                           wb_diagnostics *diagnostics, wb_claim *claimed, wb_outcome *outcome) {
    bool is_known = false;
    wb_status status = wb_results_has(results, unit, retry, diagnostics, &is_known, outcome);
    *claimed = WB_CLAIM_KNOWN;
    if (status != WB_OK || is_known) return status;
    use_log(results);
    status = database_execute(results, "BEGIN IMMEDIATE", diagnostics);
    if (status != WB_OK) return status;
    status = claim_unknown(results, unit, retry, diagnostics, claimed, outcome);
    if (status == WB_OK) status = database_execute(results, "COMMIT", diagnostics);
    if (status != WB_OK) (void)sqlite3_exec(results->database, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

void claims_drop(const wb_results *results) {
    char own[PROCESS_MAX];
    sqlite3_stmt *row = NULL;
    name_process((uint64_t)getpid(), own);
    if (sqlite3_prepare_v2(results->database, "DELETE FROM claim WHERE process = ?", -1, &row, NULL) ==
        SQLITE_OK) {
        (void)sqlite3_bind_text(row, 1, own, -1, SQLITE_STATIC);
        (void)sqlite3_step(row);
    }
    sqlite3_finalize(row);
}
