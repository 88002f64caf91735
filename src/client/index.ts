/** What a program needs that talks to Earshot: a connection that mends itself, and the shapes of what it hears. */

export { EarshotError, type ErrorCode } from "../domain/errors.ts";
export { type Attachment, attachmentSchema, type Message, messageSchema } from "../domain/message.ts";
export type { FactRecord, MemoryExport } from "../domain/rpc/memory-methods.ts";
export { type ConnectOptions, connectEarshot, type EarshotClient } from "./connect.ts";
export type { EarshotEvent } from "./event-buffer.ts";
export type { ContextWindow, Methods } from "./methods.ts";
export type { CallOptions } from "./pending-calls.ts";
