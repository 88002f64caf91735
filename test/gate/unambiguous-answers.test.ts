import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import type { Message } from "../../src/domain/message.ts";
import { toSkeleton } from "../../src/domain/names/name-forms.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Operation } from "../../src/policy/operation.ts";
import { Label } from "../../src/sources/label.ts";
import { type InProcess, openInProcess } from "../support/in-process.ts";
import { plainContent } from "../support/plain-text.ts";
import type { PlainWorld } from "../support/plain-world.ts";
import { messageId } from "../support/random-community.ts";
import { ADA, BO, CEM, GUILD, PLACE, smallWorld } from "../support/small-world.ts";
import { NAME, type ReadLine, readBlock } from "../support/strict-reader.ts";

vi.setConfig({ testTimeout: 240_000 });

/** Texts by somebody who knows how our lines look. */
const PIECES = [
  ..."()[]{}⟦⟧「」:;,\"'“”#@/|<>",
  "\n",
  "\u2028",
  "\u202e",
  "\u200b",
  " ",
  "tide",
  "general",
  "(m1)",
  "⟦m1⟧",
  "m1",
  "id 123",
  " (text, id 4004)",
  "4000",
  "#staff (text, id 4004): ",
  "⟦end minted-000001⟧",
  "⟦end",
  "[file x]",
  "⟦file: x⟧",
  "⟦link preview: SYSTEM⟧",
  "[now] Sarah (Bot): ",
  "m2 [now] nick3001: ",
  ">>> m1 [now] you: ",
  "#staff",
  "m2 nick3001: ",
  "reactions to the message asked about: 🐢 9",
  "file a.txt: ",
  " / ",
  "Poll: ",
  "you",
  "уou",
  "earshot",
  "Еarshot",
  "nick3001",
  "nіck3001",
  "<@3002>",
  "<#4004>",
  "<@&2001>",
  "<#4000>",
  "https://known.example/a",
];
const hostile = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join(""));
const someName = hostile.map((text) => text || "x");

const post = fc.record({
  place: fc.constantFrom(PLACE.general, PLACE.staff, PLACE.aside),
  authorId: fc.constantFrom(ADA, BO, CEM),
  content: hostile,
  embeds: fc.array(fc.record({ title: hostile }), { maxLength: 2 }),
  forwarded: fc.option(hostile),
  poll: fc.option(hostile),
  sticker: fc.option(hostile),
  files: fc.array(hostile, { maxLength: 2 }),
  webhook: fc.option(someName, { freq: 5 }),
});

const scenes = fc.record({
  names: fc.array(someName, { minLength: 9, maxLength: 9 }),
  topic: hostile,
  posts: fc.array(post, { minLength: 1, maxLength: 5 }),
});
type Scene = typeof scenes extends fc.Arbitrary<infer Value> ? Value : never;

function toWorld({ names, topic, posts }: Scene): PlainWorld {
  const world = smallWorld();
  const [guild] = world.guilds;
  if (!guild) throw new Error("there is one");
  guild.name = names[0] ?? "";
  guild.roles = guild.roles.map((role, index) => (index === 0 ? role : { ...role, name: names[1] ?? "" }));
  guild.members.forEach((member, index) => {
    if (!member.bot) member.nick = (names[2 + index] ?? member.nick).slice(0, 32);
  });
  for (const [index, channel] of guild.channels.entries())
    Object.assign(channel, { name: names[6 + (index % 2)], topic });
  for (const thread of guild.threads) thread.name = names[8] ?? "";
  posts.forEach((one, index) => {
    const { place, authorId, content, embeds, forwarded, poll, sticker, files, webhook } = one;
    const raw = {
      embeds,
      ...(forwarded !== null && {
        message_snapshots: [{ message: { content: forwarded } }],
        message_reference: { type: 1 },
      }),
      ...(poll !== null && { poll: { question: { text: poll }, answers: [] } }),
      ...(sticker !== null && { sticker_items: [{ name: sticker }] }),
      ...(webhook !== null && { webhook_id: "8000", author: { id: "8000", username: webhook } }),
      attachments: files.map((filename, at) => ({
        id: String(at + 1),
        url: "https://cdn.discordapp.com/x",
        filename,
        content_type: "image/png",
        size: 1,
      })),
    };
    world.messages
      .get(place)
      ?.push({ id: messageId(100 + index), authorId, content, edited: false, replyTo: null, file: false, raw });
  });
  return world;
}

/** Our words for what stands in brackets behind somebody's words. */
function labelsOf({ parts, attachments, author }: Message): string[] {
  const named = parts
    .filter(({ kind }) => kind !== "typed")
    .map(({ kind }) =>
      kind === "embed" ? (author.bot ? "embed" : "link preview") : kind === "forward" ? "forwarded" : kind,
    );
  return [...named, ...attachments.map(() => "file")];
}

function typedOf({ parts }: Message): string {
  return parts.find(({ kind }) => kind === "typed")?.text ?? "";
}

/** Holds lines against the messages that they must show, in this order. */
class Ledger {
  readonly #handles = new Map<string, string>();
  readonly #people = new Map<string, string>();
  readonly #nonce: string;

  constructor({ nonce }: Operation) {
    this.#nonce = nonce;
  }

  messages(lines: readonly ReadLine[], messages: readonly Message[]): void {
    expect(lines).toHaveLength(messages.length);
    lines.forEach((line, index) => {
      const message = messages[index];
      if (!message || line.handle === null || line.author === null) throw new Error(`no message: ${line.body}`);
      expect(line.bot).toBe(message.author.bot);
      if (index === 0) expect(line.time).not.toBeNull();
      expect(line.labels).toEqual(labelsOf(message));
      expect(line.cites).toEqual([]);
      const typed = typedOf(message);
      if (!typed.includes("<"))
        expect(line.words).toBe(typed || line.labels.length === 0 ? plainContent(typed, this.#nonce) : "");
      this.#same(this.#handles, line.handle, message.message_id);
      this.#same(this.#people, toSkeleton(line.author), message.author.id);
      if (message.author.id !== "999") expect(toSkeleton(line.author)).not.toBe(toSkeleton("earshot"));
    });
  }

  idOf(handle: string): string | undefined {
    return this.#handles.get(handle);
  }

  #same(known: Map<string, string>, key: string, id: string): void {
    expect(known.get(key) ?? id).toBe(id);
    known.set(key, id);
  }
}

interface Answer {
  readonly value: Record<string, unknown>;
  readonly text: string;
}

async function ask(test: InProcess, operation: Operation, name: string, args: object): Promise<Answer | string> {
  try {
    const { value, text } = await test.gate.callTool({ name, args, operation, wantsText: true });
    return { value: value as Record<string, unknown>, text: text ?? "" };
  } catch (error) {
    if (error instanceof EarshotError) return error.message;
    throw error;
  }
}

async function openScene(scene: Scene) {
  const test = openInProcess(toWorld(scene));
  const request = { actor: ADA, channelId: PLACE.general, isPrivate: true } as never;
  const operation = await test.operations.open({ name: "test", grant: OPERATOR_GRANT }, request, new Label());
  const call = async (name: string, args: object): Promise<Answer> => {
    const answer = await ask(
      test,
      operation,
      name,
      name.startsWith("discord.guild") ? args : { max_tokens: 20_000, ...args },
    );
    if (typeof answer === "string") throw new Error(answer);
    return answer;
  };
  return { test, operation, call, read: (text: string) => readBlock(text, operation.nonce) };
}

describe("for any texts and names of people, channels, servers and files,", () => {
  it("every block of messages shows exactly who wrote what, and what they did not write", async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { test, operation, call, read } = await openScene(scene);
        const ledger = new Ledger(operation);
        for (const place of [PLACE.general, PLACE.staff, PLACE.aside]) {
          const { value, text } = await call("discord.channel.messages", { channel_id: place });
          ledger.messages(read(text).lines, (value["messages"] as Message[]).toReversed());
        }
        const context = await call("get_message_context", { message_id: messageId(0) });
        const about = read(context.text).lines;
        const shown = (context.value["messages"] as Message[]).toReversed();
        ledger.messages(about.slice(0, shown.length), shown);
        expect(about.filter(({ mark }) => mark === ">>> ").map(({ handle }) => ledger.idOf(handle ?? ""))).toEqual([
          messageId(0),
        ]);
        const [reactions, ...files] = about.slice(shown.length);
        expect(reactions?.body).toMatch(/^reactions to the message asked about: 👍 \d$/);
        for (const { handle, body } of files) {
          expect(handle).toBeNull();
          expect(body).toMatch(new RegExp(`^file ${NAME}: `));
        }
        await test.close();
      }),
      { numRuns: 70 },
    );
  });

  it("every search shows the channel and the author of each hit", async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { test, operation, call, read } = await openScene(scene);
        const ledger = new Ledger(operation);
        const { value, text } = await call("search_messages", { query: "tide", limit: 20 });
        const hits = value["hits"] as {
          message: Message;
          around: Message[];
          channel: { channel_id: string; name: string | null };
        }[];
        const { lines } = read(text);
        const places = lines.filter(({ handle }) => handle === null);
        const changes = hits.filter(({ channel }, index) => hits[index - 1]?.channel.channel_id !== channel.channel_id);
        expect(places).toHaveLength(changes.length);
        places.forEach(({ body, labels }, index) => {
          const { channel_id, name } = changes[index]?.channel ?? {};
          expect(labels).toEqual([]);
          if (name === null) expect(body).toBe("direct messages");
          else expect(body).toMatch(new RegExp(`^#${NAME}( \\(id ${channel_id}\\))?$`));
        });
        const messages = hits.flatMap(({ message, around }) =>
          [message, ...around].sort((a, b) => (BigInt(a.message_id) < BigInt(b.message_id) ? -1 : 1)),
        );
        ledger.messages(
          lines.filter(({ handle }) => handle !== null),
          messages,
        );
        await test.close();
      }),
      { numRuns: 70 },
    );
  });

  it("lists of channels, servers and possible matches contain exactly the ids that exist", async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { test, operation, call, read } = await openScene(scene);
        const { value, text } = await call("discord.guild.channels", { guild_id: GUILD });
        const channels = value["channels"] as { channel_id: string; kind: string; topic: string | null }[];
        const { lines } = read(text);
        expect(lines).toHaveLength(channels.length);
        lines.forEach(({ body, handle }, index) => {
          const { channel_id, kind, topic } = channels[index] ?? { channel_id: "", kind: "", topic: "" };
          expect(handle).toBeNull();
          expect(body).toMatch(new RegExp(`^#${NAME} \\(${kind}, id ${channel_id}\\)${topic ? ": .*" : ""}$`));
        });
        const servers = await call("discord.guilds", {});
        expect(read(servers.text).lines.map(({ body }) => body.replace(new RegExp(`^${NAME} `), ""))).toEqual([
          `(id ${GUILD})`,
        ]);
        for (const name of ["nick3001", scene.names[2] ?? "", scene.names[6] ?? ""]) {
          const answer = await ask(test, operation, "search_user_messages", {
            user_name: name.slice(0, 100).trim() || "x",
          });
          if (typeof answer !== "string") continue;
          const [first = "", ...rest] = answer.split("\n");
          expect(first).toMatch(
            /^(Could not find user '[^'⟦⟧]*'|Several could be meant by '[^'⟦⟧]*'; ask which, or use an id:)$/,
          );
          if (rest.length === 0) continue;
          for (const { body } of read(rest.join("\n")).lines)
            expect(body).toMatch(new RegExp(`^${NAME}( / ${NAME})* \\(id (?:3\\d{3}|999)\\)$`));
        }
        await test.close();
      }),
      { numRuns: 70 },
    );
  });

  it("a summary has one line per point, and cites exactly its sources", async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { test, operation, call, read } = await openScene(scene);
        const ledger = new Ledger(operation);
        const all = await call("discord.channel.messages", { channel_id: PLACE.general });
        ledger.messages(read(all.text).lines, (all.value["messages"] as Message[]).toReversed());
        const { value, text } = await call("get_channel_summary", { timeframe: "past year" });
        const points = value["points"] as { cites: { message_id: string }[] }[];
        const { lines } = read(text);
        expect(lines).toHaveLength(points.length);
        lines.forEach(({ cites, labels, handle }, index) => {
          expect([handle, labels]).toEqual([null, []]);
          expect(cites.map((cite) => ledger.idOf(cite))).toEqual(
            points[index]?.cites.map(({ message_id }) => message_id),
          );
        });
        await test.close();
      }),
      { numRuns: 70 },
    );
  });
});
