// libpq, the client library of PostgreSQL, version 14 or later for pipeline mode.
#pragma once

#include <libpq-fe.h>

// A request to cancel a connection's statement, which carries the key of the connection's session.
//
// libpq sends it encrypted, as the connection is, from version 17 on. Older versions always send it in clear; for an
// encrypted connection there is no request then.
#ifdef LIBPQ_HAS_ASYNC_CANCEL
typedef PGcancelConn clibpq_cancel;

static inline clibpq_cancel *clibpq_cancel_create(PGconn *connection) {
    return PQcancelCreate(connection);
}

static inline void clibpq_cancel_send(clibpq_cancel *cancel) {
    (void)PQcancelBlocking(cancel);
}

static inline void clibpq_cancel_free(clibpq_cancel *cancel) {
    PQcancelFinish(cancel);
}
#else
typedef PGcancel clibpq_cancel;

static inline clibpq_cancel *clibpq_cancel_create(PGconn *connection) {
    return PQsslInUse(connection) || PQgssEncInUse(connection) ? NULL : PQgetCancel(connection);
}

static inline void clibpq_cancel_send(clibpq_cancel *cancel) {
    char message[256];
    (void)PQcancel(cancel, message, sizeof(message));
}

static inline void clibpq_cancel_free(clibpq_cancel *cancel) {
    PQfreeCancel(cancel);
}
#endif

// Swift does not import the macros of character constants that identify the fields of an error report.
static const int CLIBPQ_SQLSTATE = PG_DIAG_SQLSTATE;
static const int CLIBPQ_MESSAGE = PG_DIAG_MESSAGE_PRIMARY;
static const int CLIBPQ_DETAIL = PG_DIAG_MESSAGE_DETAIL;
static const int CLIBPQ_HINT = PG_DIAG_MESSAGE_HINT;
static const int CLIBPQ_TABLE = PG_DIAG_TABLE_NAME;
static const int CLIBPQ_COLUMN = PG_DIAG_COLUMN_NAME;
static const int CLIBPQ_CONSTRAINT = PG_DIAG_CONSTRAINT_NAME;
static const int CLIBPQ_SOURCE_FUNCTION = PG_DIAG_SOURCE_FUNCTION;
