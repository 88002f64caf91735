/** The client library: a connection that reconnects by itself, and the types of events. */

export { EarshotError, type ErrorCode } from "../domain/errors.ts";
export { type Attachment, attachmentSchema, type Message, messageSchema } from "../domain/message.ts";
export type { FactRecord, MemoryExport } from "../domain/rpc/memory-methods.ts";
export { type ConnectOptions, connectEarshot, type EarshotClient } from "./connect.ts";
export type { EarshotEvent } from "./event-buffer.ts";
export type { ContextWindow, Methods } from "./methods.ts";
export type { CallOptions } from "./pending-calls.ts";
