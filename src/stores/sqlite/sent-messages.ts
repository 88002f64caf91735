import { type SqlBool, sql } from "kysely";

// Written out, and the same in the index as in the query: only then does SQLite use the index.

/** Whether an event tells that a message was sent, or found to have been. */
export const tellsSending = sql<SqlBool>`name in ('send_done', 'send_found')`;

/** The message that an event is about. */
export const messageOfEvent = sql<string | null>`detail_json ->> '$.message_id'`;
