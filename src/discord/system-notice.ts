import type { MessagePart } from "../domain/message.ts";
import { type Raw, record, text } from "./read.ts";
import { readableParts, readableText } from "./readable-text.ts";

const POLL_RESULT = 46;

/** Message types that Discord writes itself, in the words its clients use. https://discord.com/developers/docs/resources/message#message-object-message-types */
const NOTICES: Readonly<Record<number, (name: string, raw: Raw) => string>> = {
  1: (name) => `${name} added someone to the group.`,
  2: (name) => `${name} removed someone from the group.`,
  3: (name) => `${name} started a call.`,
  4: (name, raw) => `${name} changed the channel name: ${text(raw["content"])}`,
  5: (name) => `${name} changed the channel icon.`,
  6: (name) => `${name} pinned a message to this channel.`,
  7: (name) => `${name} joined the server.`,
  8: (name) => `${name} boosted the server.`,
  9: (name) => `${name} boosted the server, which reached level 1.`,
  10: (name) => `${name} boosted the server, which reached level 2.`,
  11: (name) => `${name} boosted the server, which reached level 3.`,
  12: (name, raw) => `${name} made this channel follow ${text(raw["content"])}.`,
  18: (name, raw) => `${name} started a thread: ${text(raw["content"])}`,
  21: () => "The thread starts from an earlier message.",
  22: () => "Discord reminds the server to invite people.",
  24: (_, raw) => `AutoMod acted on a message.${afterwards(readableText(raw))}`,
  25: (name) => `${name} bought a role subscription.`,
  27: (name) => `${name} started a stage.`,
  28: (name) => `${name} ended a stage.`,
  29: (name) => `${name} became a speaker.`,
  31: (name, raw) => `${name} changed the stage topic: ${text(raw["content"])}`,
};

/** What a notice says. Nobody typed it, even where it repeats what somebody wrote. */
export function noticeParts(raw: Raw, authorName: string): MessagePart[] {
  if (raw["type"] === POLL_RESULT)
    return readableParts(raw).map((part) => (part.kind === "typed" ? { ...part, kind: "notice" } : part));
  const notice = toSentence(raw, authorName);
  return notice === "" ? [] : [{ kind: "notice", text: notice }];
}

/** The notice as a sentence. Types this list does not know are named by number, with whatever text they bring. */
function toSentence(raw: Raw, authorName: string): string {
  const type = typeof raw["type"] === "number" ? raw["type"] : -1;
  const notice = Object.hasOwn(NOTICES, type) ? NOTICES[type] : undefined;
  return text(
    notice ? notice(authorName, raw) : `Notice by Discord (type ${type}).${afterwards(readableText(record(raw)))}`,
  );
}

function afterwards(content: string): string {
  return content === "" ? "" : ` ${content}`;
}
