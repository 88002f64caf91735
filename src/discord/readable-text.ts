import type { MessagePart } from "../domain/message.ts";
import { joinParts, toTypedParts } from "../domain/message.ts";
import { isRecord, list, type Raw, record, text } from "./read.ts";

const MAX_NESTING = 8;
/** Lists through which a message may contain more than typed text. */
const RICH_FIELDS = ["embeds", "components", "message_snapshots", "sticker_items", "stickers"] as const;

/** All readable text of a message, by origin: typed text, forwards, embeds, components, poll, stickers. */
export function readableParts(message: Raw): MessagePart[] {
  if (isPlain(message)) return toTypedParts(text(message["content"]));
  return fitParts([
    ...toPart("typed", [text(message["content"])]),
    ...list(message["message_snapshots"]).flatMap((snapshot) => {
      // A forward has depth one: further forwards in a snapshot are ignored.
      const inner = { ...record(record(snapshot)["message"]), message_snapshots: [] };
      return toPart("forward", [joinParts(partsOf(inner))]);
    }),
    ...partsOf({ ...message, content: "" }),
  ]);
}

/** Whether a message has only typed text, as most do. */
function isPlain(message: Raw): boolean {
  return !isRecord(message["poll"]) && RICH_FIELDS.every((field) => list(message[field]).length === 0);
}

export function readableText(message: Raw): string {
  return joinParts(readableParts(message));
}

/** The parts of a message that cannot contain another message. */
function partsOf(message: Raw): MessagePart[] {
  return [
    ...toPart("typed", [text(message["content"])]),
    ...list(message["embeds"]).flatMap((embed) => embedPart(record(embed))),
    ...list(message["components"]).flatMap((component) => toPart("component", componentLines(component, 0))),
    ...(isRecord(message["poll"]) ? toPart("poll", pollLines(message["poll"])) : []),
    ...[...list(message["sticker_items"]), ...list(message["stickers"])].slice(0, 5).flatMap((sticker) => {
      const name = text(record(sticker)["name"]);
      return toPart("sticker", name ? [`[sticker: ${name}]`] : []);
    }),
  ];
}

/** Cuts the parts to the maximum length of a text, so that joined they equal the cut text. */
function fitParts(parts: readonly MessagePart[]): MessagePart[] {
  const whole = joinParts(parts);
  const content = text(whole);
  if (content.length >= whole.length) return [...parts];
  const fitting: MessagePart[] = [];
  let start = 0;
  for (const { kind, text: own } of parts) {
    // The last character is the … of the cut.
    const isLast = start + own.length >= content.length - 1;
    fitting.push({ kind, text: content.slice(start, isLast ? undefined : start + own.length) });
    if (isLast) break;
    start += own.length + 1;
  }
  return fitting;
}

/** Nothing if the lines are empty. */
function toPart(kind: MessagePart["kind"], lines: readonly string[]): MessagePart[] {
  const joined = lines.filter((line) => line !== "").join("\n");
  return joined === "" ? [] : [{ kind, text: joined }];
}

function embedPart(embed: Raw): MessagePart[] {
  const fields = list(embed["fields"]).slice(0, 25).map(record);
  if (embed["type"] === "poll_result") return toPart("poll", [pollResult(fields)]);
  const named = fields.map((field) => [text(field["name"]), text(field["value"])].filter(Boolean).join(": "));
  return toPart("embed", [
    text(record(embed["provider"])["name"]),
    text(record(embed["author"])["name"]),
    text(embed["title"]),
    text(embed["description"]),
    ...named,
    text(record(embed["footer"])["text"]),
  ]);
}

/** The notice that a poll ended contains its outcome as named fields of an embed. */
function pollResult(fields: readonly Raw[]): string {
  const outcome = new Map(fields.map((field) => [text(field["name"]), text(field["value"])]));
  const question = outcome.get("poll_question_text") ?? "";
  const winner = outcome.get("victor_answer_text");
  const votes = `${outcome.get("victor_answer_votes") ?? "0"} of ${outcome.get("total_votes") ?? "0"} votes`;
  return winner ? `Poll closed: ${question} → ${winner} (${votes})` : `Poll closed: ${question} (no single winner)`;
}

/** Components are nested: containers and sections contain text displays, buttons, galleries. Collects all readable text. */
function componentLines(component: unknown, depth: number): string[] {
  if (!isRecord(component) || depth > MAX_NESTING) return [];
  const items = list(component["items"]).slice(0, 40);
  const children = list(component["components"]).slice(0, 40);
  return [
    text(component["content"]),
    text(component["label"]),
    text(component["placeholder"]),
    text(component["description"]),
    ...items.map((item) => text(record(item)["description"])),
    ...children.flatMap((child) => componentLines(child, depth + 1)),
    ...componentLines(component["accessory"], depth + 1),
  ];
}

function pollLines(poll: Raw): string[] {
  const question = text(record(poll["question"])["text"]);
  const answers = list(poll["answers"]).slice(0, 20);
  return [
    question ? `Poll: ${question}` : "",
    ...answers.map((answer) => {
      const media = record(record(answer)["poll_media"]);
      const label = [text(record(media["emoji"])["name"]), text(media["text"])].filter(Boolean).join(" ");
      return label ? `- ${label}` : "";
    }),
  ];
}
