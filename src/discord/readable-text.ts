import { isRecord, list, type Raw, record, text } from "./read.ts";

const DEEPEST_NESTING = 8;

/** All that a person could read in a message, as lines: text, forwarded text, embeds, components, poll, stickers. */
export function readableText(message: Raw): string {
  const lines: string[] = [];
  collectText(message, lines);
  return text(lines.join("\n"));
}

function collectText(message: Raw, lines: string[]): void {
  push(lines, text(message["content"]));
  for (const snapshot of list(message["message_snapshots"])) {
    const forwarded = record(record(snapshot)["message"]);
    const inner: string[] = [];
    // A forward has depth one: what a snapshot claims to forward in turn is not read.
    collectText({ ...forwarded, message_snapshots: [] }, inner);
    for (const line of inner) push(lines, line);
  }
  for (const embed of list(message["embeds"])) collectEmbed(record(embed), lines);
  for (const component of list(message["components"])) collectComponent(component, lines, 0);
  if (isRecord(message["poll"])) collectPoll(message["poll"], lines);
  for (const sticker of [...list(message["sticker_items"]), ...list(message["stickers"])].slice(0, 5)) {
    const name = text(record(sticker)["name"]);
    if (name) lines.push(`[sticker: ${name}]`);
  }
}

function collectEmbed(embed: Raw, lines: string[]): void {
  const fields = list(embed["fields"]).slice(0, 25).map(record);
  if (embed["type"] === "poll_result") {
    lines.push(pollResult(fields));
    return;
  }
  push(lines, text(record(embed["provider"])["name"]));
  push(lines, text(record(embed["author"])["name"]));
  push(lines, text(embed["title"]));
  push(lines, text(embed["description"]));
  for (const field of fields) {
    const name = text(field["name"]);
    const value = text(field["value"]);
    if (name || value) lines.push(name && value ? `${name}: ${value}` : name || value);
  }
  push(lines, text(record(embed["footer"])["text"]));
}

/** The notice that a poll ended carries its outcome as named fields of an embed. */
function pollResult(fields: readonly Raw[]): string {
  const outcome = new Map(fields.map((field) => [text(field["name"]), text(field["value"])]));
  const question = outcome.get("poll_question_text") ?? "";
  const winner = outcome.get("victor_answer_text");
  const votes = `${outcome.get("victor_answer_votes") ?? "0"} of ${outcome.get("total_votes") ?? "0"} votes`;
  return winner ? `Poll closed: ${question} → ${winner} (${votes})` : `Poll closed: ${question} (no single winner)`;
}

/** Components nest: containers and sections hold text displays, buttons, galleries. Whatever bears readable text is read. */
function collectComponent(component: unknown, lines: string[], depth: number): void {
  if (!isRecord(component) || depth > DEEPEST_NESTING) return;
  push(lines, text(component["content"]));
  push(lines, text(component["label"]));
  push(lines, text(component["placeholder"]));
  push(lines, text(component["description"]));
  for (const item of list(component["items"]).slice(0, 40)) push(lines, text(record(item)["description"]));
  for (const child of list(component["components"]).slice(0, 40)) collectComponent(child, lines, depth + 1);
  collectComponent(component["accessory"], lines, depth + 1);
}

function collectPoll(poll: Raw, lines: string[]): void {
  const question = text(record(poll["question"])["text"]);
  if (question) lines.push(`Poll: ${question}`);
  for (const answer of list(poll["answers"]).slice(0, 20)) {
    const media = record(record(answer)["poll_media"]);
    const label = [text(record(media["emoji"])["name"]), text(media["text"])].filter(Boolean).join(" ");
    if (label) lines.push(`- ${label}`);
  }
}

function push(lines: string[], line: string): void {
  if (line !== "") lines.push(line);
}
