#include "wings/sweep/database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"

/* "WBsw", which `file` could know such databases by, and the version of the tables. */
#define APPLICATION 0x57427377
#define TABLES_VERSION 2

/* Milliseconds to wait for another process that writes. */
#define BUSY_MILLISECONDS 60000

/* Longest text of a cell. */
#define CELL_BYTES_MAX (1 << 26)

/* Columns of cycles have no type: such numbers have up to 64 bits (record.c). */
static const char tables[] =
    "PRAGMA application_id=1463972727; PRAGMA user_version=2;"
    "CREATE TABLE unit(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, key TEXT NOT NULL, version TEXT "
    "NOT NULL,"
    " status TEXT NOT NULL, message TEXT, state TEXT, scope TEXT, method TEXT, bound, slowest, deadline, "
    "seconds REAL, time_limit REAL, memory_limit INTEGER);"
    "CREATE TABLE parameter(unit INTEGER, position INTEGER, name TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY(unit, position)) WITHOUT ROWID;"
    "CREATE TABLE number(unit INTEGER, position INTEGER, scope TEXT NOT NULL, data TEXT NOT NULL, what TEXT "
    "NOT NULL,"
    " name TEXT NOT NULL, kind TEXT NOT NULL, cycles, lower, note TEXT, PRIMARY KEY(unit, "
    "position))"
    " WITHOUT ROWID;"
    "CREATE TABLE claim(id TEXT PRIMARY KEY, process TEXT NOT NULL) WITHOUT ROWID;";

_Static_assert(APPLICATION == 1463972727, "as the tables have it");

/* What SQLite's code means for a user. */
static const char *words_of(int code, sqlite3 *database) {
    if (code == SQLITE_CANTOPEN && sqlite3_system_errno(database) == ENOENT)
        return "there is no such file or folder";
    if (code == SQLITE_NOTADB) return "this is not a database of sweeps";
    if (code == SQLITE_READONLY)
        return "this user may not write to it or to its folder: users who share a database need a folder of "
               "a common group (chmod g+rwxs) and umask 002";
    return sqlite3_errmsg(database);
}

wb_status database_error(const struct wb_results *results, wb_diagnostics *diagnostics) {
    const int code = results->database == NULL ? SQLITE_NOMEM : sqlite3_errcode(results->database);
    if (code == SQLITE_NOMEM) return diagnose_out_of_memory(diagnostics, results->path);
    diagnose(diagnostics, SEVERITY_ERROR, results->path, "%s", words_of(code, results->database));
    return WB_ERR_INPUT;
}

wb_status database_failed(const wb_diagnostics *diagnostics) {
    return diagnostics->no_memory ? WB_ERR_LIMIT : WB_ERR_INPUT;
}

sqlite3_stmt *database_prepare(const struct wb_results *results, const char *sql,
                               wb_diagnostics *diagnostics) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(results->database, sql, -1, &statement, NULL) == SQLITE_OK) return statement;
    (void)database_error(results, diagnostics);
    sqlite3_finalize(statement);
    return NULL;
}

wb_status database_execute(const struct wb_results *results, const char *sql, wb_diagnostics *diagnostics) {
    const int code = sqlite3_exec(results->database, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? WB_OK : database_error(results, diagnostics);
}

static int64_t read_pragma(const struct wb_results *results, const char *sql, wb_diagnostics *diagnostics) {
    sqlite3_stmt *statement = database_prepare(results, sql, diagnostics);
    const int64_t value =
        statement != NULL && sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    if (statement != NULL && value < 0) (void)database_error(results, diagnostics);
    sqlite3_finalize(statement);
    return value;
}

/* ---- What else a database of others could do
 * ----------------------------------------------------------------
 *
 * Triggers store other numbers than are written, views answer with what is not stored, or never end. */

/* Whether `known`, a database with our tables alone, has an entry as the row says: SQLITE_ROW, it has;
 * SQLITE_DONE, it has not; else an error. */
static int find_entry(sqlite3 *known, sqlite3_stmt *row) {
    sqlite3_stmt *find = NULL;
    int code = sqlite3_prepare_v2(
        known, "SELECT 1 FROM sqlite_master WHERE type IS ? AND name IS ? AND sql IS ?", -1, &find, NULL);
    for (int i = 0; i < 3 && code == SQLITE_OK; i++)
        code = sqlite3_bind_value(find, i + 1, sqlite3_column_value(row, i));
    if (code == SQLITE_OK) code = sqlite3_step(find);
    sqlite3_finalize(find);
    return code;
}

/* Holds every entry against those of `known`. */
static wb_status check_entries(const struct wb_results *results, sqlite3 *known, sqlite3_stmt *row,
                               wb_diagnostics *diagnostics) {
    int step;
    while ((step = sqlite3_step(row)) == SQLITE_ROW) {
        const int found = find_entry(known, row);
        if (found == SQLITE_ROW) continue;
        if (found != SQLITE_DONE) return diagnose_out_of_memory(diagnostics, results->path);
        diagnose(diagnostics, SEVERITY_ERROR, results->path,
                 "this is not a database of sweeps: the %.20s '%.60s' is foreign", column_text(row, 0),
                 column_text(row, 1));
        return WB_ERR_INPUT;
    }
    return step == SQLITE_DONE ? WB_OK : database_error(results, diagnostics);
}

/* The database has our tables as we make them, and nothing else. */
static wb_status check_schema(const struct wb_results *results, wb_diagnostics *diagnostics) {
    sqlite3 *known = NULL;
    wb_status status;
    const bool made = sqlite3_open(":memory:", &known) == SQLITE_OK &&
                      sqlite3_exec(known, tables, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_stmt *row =
        made ? database_prepare(results, "SELECT type, name, sql FROM sqlite_master", diagnostics) : NULL;
    if (!made)
        status = diagnose_out_of_memory(diagnostics, results->path);
    else
        status = row == NULL ? database_failed(diagnostics) : check_entries(results, known, row, diagnostics);
    sqlite3_finalize(row);
    (void)sqlite3_close(known);
    return status;
}

/* Whether the file is one of ours; a new one becomes one. */
static wb_status check_tables(const struct wb_results *results, bool write, wb_diagnostics *diagnostics) {
    const int64_t application = read_pragma(results, "PRAGMA application_id", diagnostics);
    const int64_t version = application < 0 ? -1 : read_pragma(results, "PRAGMA user_version", diagnostics);
    const int64_t size =
        version < 0 ? -1 : read_pragma(results, "SELECT count(*) FROM sqlite_master", diagnostics);
    if (size < 0) return database_failed(diagnostics);
    if (size == 0 && write) return database_execute(results, tables, diagnostics);
    if (application != APPLICATION) {
        diagnose(diagnostics, SEVERITY_ERROR, results->path, "this is not a database of sweeps");
        return WB_ERR_INPUT;
    }
    if (version == TABLES_VERSION) return check_schema(results, diagnostics);
    diagnose(diagnostics, SEVERITY_ERROR, results->path,
             "its tables have version %lld, but this program uses version %d", (long long)version,
             TABLES_VERSION);
    return WB_ERR_INPUT;
}

/* To be read: one state of the database until it is closed, even while a sweep writes to it. To be written:
 * two processes that open a new database make its tables once, and nothing of a database of something else is
 * changed. */
static wb_status open_tables(struct wb_results *results, bool write, wb_diagnostics *diagnostics) {
    wb_status status = database_execute(results, write ? "BEGIN IMMEDIATE" : "BEGIN", diagnostics);
    if (status != WB_OK) return status;
    status = check_tables(results, write, diagnostics);
    if (!write) return status;
    if (status == WB_OK) return database_execute(results, "COMMIT; PRAGMA synchronous=NORMAL", diagnostics);
    (void)sqlite3_exec(results->database, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* A new file as the umask has it, so that a group can share it: SQLite would let its owner alone write. One
 * that is there is not opened, as closing it would give up the locks that this process has on it. 0 or the
 * errno value. */
static int make_file(const char *path, bool *made) {
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    *made = file >= 0;
    if (file < 0) return errno == EEXIST ? 0 : errno;
    return close(file) == 0 ? 0 : errno;
}

/* Takes away what was made where nothing could be written to it: an empty file is no database. */
static void drop_empty(const char *path) {
    struct stat info;
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0) (void)unlink(path);
}

wb_status wb_results_open(const char *path, bool write, wb_diagnostics *diagnostics, wb_results **results) {
    const int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    wb_results *opened = calloc(1, sizeof *opened);
    if (opened == NULL || (opened->path = strdup(path)) == NULL) {
        free(opened);
        return diagnose_out_of_memory(diagnostics, path);
    }
    wb_status status = WB_OK;
    bool made = false;
    const int error = write ? make_file(path, &made) : 0;
    if (error != 0) status = file_write_failed(diagnostics, path, error);
    if (status == WB_OK &&
        sqlite3_open_v2(path, &opened->database, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        status = database_error(opened, diagnostics);
    if (status == WB_OK) {
        (void)sqlite3_busy_timeout(opened->database, BUSY_MILLISECONDS);
        (void)sqlite3_limit(opened->database, SQLITE_LIMIT_LENGTH, CELL_BYTES_MAX);
        (void)sqlite3_db_config(opened->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        (void)sqlite3_db_config(opened->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        status = open_tables(opened, write, diagnostics);
        opened->write = write && status == WB_OK;
    }
    if (status == WB_OK)
        *results = opened;
    else
        wb_results_free(opened);
    if (status != WB_OK && made) drop_empty(path);
    return status;
}

void wb_results_free(wb_results *results) {
    if (results == NULL) return;
    /* Whoever is the last one to write leaves one file, which can be read where nothing can be written. */
    if (results->write) {
        claims_drop(results);
        (void)sqlite3_busy_timeout(results->database, 0);
        (void)sqlite3_exec(results->database, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
    }
    (void)sqlite3_close(results->database);
    free(results->path);
    free(results);
}
