import type { Message } from "../domain/message.ts";
import { createDisplayNames } from "../domain/names/resolve-name.ts";
import { escapeName, quoteName, singleLine } from "../domain/text/escape.ts";
import { messagePieces } from "../domain/text/message-pieces.ts";
import { renderPieces } from "../domain/text/untrusted-block.ts";

/** The parts of tools' answers that lines are made of. */
interface Answer {
  readonly messages?: readonly Message[];
  readonly hits?: readonly Hit[];
  readonly points?: readonly Point[];
  readonly coverage?: { readonly scanned: number; readonly from: string | null };
  readonly has_more?: boolean;
  readonly cursor?: string | null;
  readonly empty?: string;
  readonly note?: string | null;
}

interface Hit {
  readonly message: Message;
  readonly channel: { readonly channel_id: string; readonly name: string | null };
  readonly around: readonly Message[];
}

interface Point {
  readonly text: string;
  readonly cites: readonly { readonly link: string }[];
}

/** A tool's answer in lines for a person. `text`: what a model would be given; empty for methods that are no tools. */
export function describeValue(value: unknown, text: string): string[] {
  const answer = (typeof value === "object" && value !== null ? value : {}) as Answer;
  if (Array.isArray(answer.hits)) return [...describeHits(answer.hits, answer), ...describeReach(answer)];
  if (Array.isArray(answer.points)) return [...describePoints(answer.points), ...describeReach(answer)];
  if (Array.isArray(answer.messages)) {
    const describe = createMessageLines();
    const oldestFirst = answer.messages.toSorted((a, b) => Date.parse(a.ts) - Date.parse(b.ts));
    return [...oldestFirst.map(describe), ...describeReach(answer)];
  }
  // A tool that hands out nothing that others wrote has its value as text.
  return text === "" || text === JSON.stringify(value) ? describeFields(value, "") : withoutFrame(text);
}

function createMessageLines(): (message: Message) => string {
  const names = createDisplayNames({ agent: null, escape: (name) => escapeName(name, null) });
  return (message) => {
    const author = `${names.of(message.author)}${message.author.bot ? " (Bot)" : ""}`;
    const words = renderPieces(messagePieces(message, null), null, Number.POSITIVE_INFINITY);
    return `${toMinute(message.ts)} ${author}: ${words}`;
  };
}

/** By channel; `>` marks what was found, the lines around it are indented. */
function describeHits(hits: readonly Hit[], { empty }: Answer): string[] {
  if (hits.length === 0) return [empty || "Nothing was found."];
  const describe = createMessageLines();
  const channels = Map.groupBy(hits, ({ channel }) => channel.channel_id);
  return [...channels.values()].flatMap((some, index) => {
    const name = some[0]?.channel.name;
    const title = name === null || name === undefined ? "direct messages" : `#${quoteName(name)}`;
    const found = new Set(some.map(({ message }) => message.message_id));
    const all = new Map(
      some.flatMap(({ message, around }) => [message, ...around]).map((one) => [one.message_id, one]),
    );
    const lines = [...all.values()]
      .toSorted((a, b) => Date.parse(a.ts) - Date.parse(b.ts))
      .map((message) => `${found.has(message.message_id) ? "> " : "    "}${describe(message)}`);
    return [...(index > 0 ? [""] : []), title, ...lines];
  });
}

function describePoints(points: readonly Point[]): string[] {
  const links = [...new Set(points.flatMap(({ cites }) => cites.map(({ link }) => link)))];
  const numbers = (cites: Point["cites"]) => cites.map(({ link }) => `[${links.indexOf(link) + 1}]`).join("");
  return [
    ...points.map(({ text, cites }) => singleLine(`- ${text} ${numbers(cites)}`).trimEnd()),
    ...links.map((link, index) => `[${index + 1}] ${link}`),
  ];
}

/** How far was looked, how to go on, and what else is to be said. */
function describeReach({ coverage, has_more, cursor, note }: Answer): string[] {
  const back = coverage?.from ? ` back to ${toMinute(coverage.from)}` : "";
  const looked = coverage ? [`looked at ${coverage.scanned.toLocaleString("en")} messages${back}`] : [];
  const more = has_more && cursor ? [`more with cursor=${cursor}`] : [];
  const reach = [...looked, ...more].join("; ");
  return [...(reach === "" ? [] : [`(${reach})`]), ...(note ? [note] : [])];
}

/** The marks around what others wrote are for models: a person sees where a command's output begins and ends. */
function withoutFrame(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => !/^⟦(untrusted|end) [^⟧]*⟧$/.test(line))
    .map((line) => line.replace(/^-: /, ""));
}

/** Any value as indented `name: value` lines. */
function describeFields(value: unknown, indent: string): string[] {
  if (typeof value !== "object" || value === null) return [`${indent}${singleLine(String(value))}`];
  if (Array.isArray(value)) return value.flatMap((item) => asListItem(describeFields(item, `${indent}  `), indent));
  return Object.entries(value).flatMap(([name, field]) => {
    if (typeof field !== "object" || field === null) return [`${indent}${name}: ${singleLine(String(field ?? "-"))}`];
    const inner = describeFields(field, `${indent}  `);
    return inner.length === 0 ? [`${indent}${name}: -`] : [`${indent}${name}:`, ...inner];
  });
}

function asListItem([first, ...rest]: readonly string[], indent: string): string[] {
  return first === undefined ? [] : [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
}

/** Such as 2026-11-15 10:03, in UTC. */
function toMinute(time: string): string {
  return time.slice(0, 16).replace("T", " ");
}
