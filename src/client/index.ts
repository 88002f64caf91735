/** What a program that talks to Earshot reads: the shape of a message, as types and as a schema to check it with. */
export { type Attachment, attachmentSchema, type Message, messageSchema } from "../domain/message.ts";
