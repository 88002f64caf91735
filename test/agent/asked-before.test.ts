import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { AGENT } from "../../src/agent/agent-grant.ts";
import { EarshotError } from "../../src/domain/errors.ts";
import { type Grant, OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Client } from "../../src/policy/operation.ts";
import { getRecentMessages } from "../../src/tools/get-recent-messages.ts";
import { answerWith, say } from "../support/agent.ts";
import {
  type AgentInProcess,
  openAgentInProcess,
  openReusedAnswers,
  type ReusedAnswers,
} from "../support/agent-in-process.ts";
import { assertUntil } from "../support/assert-until.ts";
import { type Hearers, isSaidNow, mayFlow, sees } from "../support/plain-oracle.ts";
import { BOT, type PlainWorld, placeOf, placesOf } from "../support/plain-world.ts";
import { communities, personId } from "../support/random-community.ts";
import { type Twist, twist, twists } from "../support/twists.ts";

vi.setConfig({ testTimeout: process.env["SOAK_RUNS"] ? 0 : 240_000 });

const numRuns = Number(process.env["SOAK_RUNS"] ?? 25);
const MINUTE = 60_000;
const CONFINED_MS = 60 * MINUTE;

const grants: Readonly<Record<string, Partial<Grant>>> = {
  walled: { confined: true, events: "none", directMessages: false },
  reader: { scopes: OPERATOR_GRANT.scopes.filter((scope) => !/^discord:/.test(scope)), directMessages: false },
  operator: {},
};
const CLIENTS: readonly Client[] = [
  AGENT,
  ...Object.entries(grants).map(([name, more]) => ({ name, grant: { ...OPERATOR_GRANT, ...more } })),
];

const seldom = fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: twists });

/** One thing that happens, in numbers. */
const step = fc.record({
  /** Somebody speaks to the bot; asks by command; has a program ask; presses a choice; or a program reads. */
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constant("say" as const) },
    { weight: 2, arbitrary: fc.constant("command" as const) },
    { weight: 4, arbitrary: fc.constant("program" as const) },
    { weight: 1, arbitrary: fc.constantFrom("press" as const, "read" as const) },
  ),
  client: fc.nat(CLIENTS.length - 2),
  /** Few people in few places: what somebody asked before is in one of them. */
  who: fc.nat(1),
  where: fc.nat(1),
  isPrivate: fc.boolean(),
  isReply: fc.boolean(),
  reads: fc.nat(63),
  minutes: fc.constantFrom(0, 0, 0, 1, 4, 9, 11),
  /** What happens before it, and while it is answered. */
  before: seldom,
  meanwhile: seldom,
  takesBack: fc.nat(6).map((value) => value === 0),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A question, by the word that only it has. */
interface AskedWord {
  readonly client: string;
  readonly actor: string;
  readonly placeId: string;
  readonly isPrivate: boolean;
  readonly messageId: string | null;
  /** The messages that were read for it, and for what it continues. */
  readonly read: Set<ReadMessage>;
}

interface ReadMessage {
  readonly channelId: string;
  readonly messageId: string;
  readonly at: number;
}

interface Tally {
  continued: number;
  byPrograms: number;
  chosen: number;
}

class World {
  readonly place: AgentInProcess;
  readonly #words = new Map<string, AskedWord>();
  readonly #tally: Tally;
  /** What each program has read. */
  readonly #known = new Map<string, ReadMessage[]>();
  #count = 0;
  /** Of the question that is being answered. */
  #current: {
    readonly word: string;
    readonly asked: AskedWord;
    readonly reads: string;
    readonly known: readonly ReadMessage[];
    readonly meanwhile: Twist | null;
  } | null = null;

  constructor(world: PlainWorld, answers: ReusedAnswers, tally: Tally) {
    this.#tally = tally;
    this.place = openAgentInProcess(world, { store: answers.store, answerer: this.#parrot() });
  }

  /** Says all that it knows of the question before, and keeps it for the next. */
  #parrot() {
    return answerWith(async ({ text, before }, toolbox) => {
      const current = this.#current;
      // Something else may be said to the bot meanwhile.
      if (!current || !text.includes(current.word)) return say("Hm.");
      const { asked, reads, meanwhile } = current;
      // What was refused is answered once more, by a question that has read nothing.
      asked.read.clear();
      for (const one of current.known) asked.read.add(one);
      this.#current = { ...current, meanwhile: null };
      const kept = await before();
      const read = await toolbox
        .call(getRecentMessages, { channel: `<#${reads}>`, limit: 5 })
        .then(({ messages }) => messages)
        .catch((error: unknown) => {
          if (error instanceof EarshotError) return [];
          throw error;
        });
      for (const { channel_id: channelId, message_id: messageId } of read)
        asked.read.add({ channelId, messageId, at: this.place.clock.now() });
      const words = `${text} ${kept?.question ?? ""}`.trim();
      for (const word of wordsIn(kept?.question ?? ""))
        for (const one of this.#words.get(word)?.read ?? []) asked.read.add(one);
      if (meanwhile) twist(this.place, meanwhile);
      const turn = {
        tool: "any",
        args: { words },
        question: words,
        language: "en",
        people: [],
        shown: [],
      };
      return say(words, { turn, choices: [{ label: "This", question: words }] });
    });
  }

  async take(one: Step): Promise<void> {
    const { place } = this;
    place.clock.ahead += one.minutes * MINUTE;
    if (one.before) twist(place, one.before);
    if (one.takesBack) this.#takeBack(one.reads);
    const actor = personId(one.who);
    const seen = placesOf(place.world).filter((each) => sees(each, actor) && sees(each, BOT));
    const there = seen[one.where % Math.max(1, seen.length)];
    if (!there) return;
    const places = placesOf(place.world);
    const reads = (one.reads % 2 ? there : places[one.reads % places.length])?.id ?? there.id;
    const program = CLIENTS[1 + one.client] ?? AGENT;
    const where = { actor, channelId: there.id };
    place.visible.length = 0;
    if (one.kind === "read") return this.#read(program, { ...where, reads });
    const word = `qw${this.#count++}x`;
    const isDm = there.guild === null;
    const isPrivate =
      isDm || one.kind === "command" || one.kind === "press" || (one.kind === "program" && one.isPrivate);
    const client = one.kind === "program" ? program : AGENT;
    const own = (place.world.messages.get(there.id) ?? []).findLast(({ authorId }) => authorId === BOT);
    const asked = {
      ...{ client: client.name, actor, placeId: there.id, isPrivate, read: new Set<ReadMessage>() },
      messageId: one.kind === "say" ? peek(place) : null,
    };
    this.#words.set(word, asked);
    // What is handed to a program has no moment at which it leaves.
    const meanwhile = one.kind === "program" ? null : one.meanwhile;
    this.#current = { word, asked, reads, known: this.#of(client), meanwhile };
    const hearers: Hearers = isPrivate ? { personId: actor } : { place: there };
    if (one.kind === "say") {
      await place.ask({ ...where, text: `<@${BOT}> ${word}`, replyTo: one.isReply ? (own?.id ?? null) : null });
      for (const { text, channelId } of place.visible)
        this.#check(word, String(text), { place: placeOf(place.world, String(channelId)) ?? there });
    } else if (one.kind === "command") this.#check(word, await place.askPrivately({ ...where, text: word }), hearers);
    else await this.#ask(client, { one, word, where, answerId: own?.id ?? "1", hearers });
    if (client.grant.confined) this.#known.set(client.name, [...asked.read]);
  }

  /** By a program, or by a press under an answer of the agent's. */
  async #ask(
    client: Client,
    {
      one,
      word,
      where,
      answerId,
      hearers,
    }: { one: Step; word: string; where: object; answerId: string; hearers: Hearers },
  ): Promise<void> {
    const { agent, operations, answers } = this.place;
    try {
      const operation = await operations.open(client, { ...where, isPrivate: "personId" in hearers } as never);
      const chosen =
        one.kind === "press" ? await agent.chosen(operation, { answerId: answerId as never, index: 0 }) : "";
      const spoken = await agent.ask(operation, { text: `${word} ${chosen}`.trim(), isAlone: one.kind === "press" });
      const text = spoken.kind === "text" ? spoken.text : "";
      if (one.kind === "press") await answers.respond(operation, { text }, async (_, { recheck }) => recheck?.());
      if (this.#check(word, text, hearers) > 0) this.#tally[one.kind === "press" ? "chosen" : "byPrograms"] += 1;
    } catch (error) {
      if (!(error instanceof EarshotError)) throw error;
    }
  }

  async #read(client: Client, { actor, channelId, reads }: { actor: string; channelId: string; reads: string }) {
    const { operations, gate, clock } = this.place;
    try {
      const operation = await operations.open(client, { actor, channelId, isPrivate: true } as never);
      const args = { channel: `<#${reads}>`, limit: 5 };
      const { value } = await gate.callTool({ name: getRecentMessages.name, args, operation });
      const { messages } = getRecentMessages.output.parse(value);
      const read = messages.map(({ message_id, channel_id }) => ({
        messageId: message_id,
        channelId: channel_id,
        at: clock.now(),
      }));
      this.#known.set(client.name, [...(this.#known.get(client.name) ?? []), ...read]);
    } catch (error) {
      if (!(error instanceof EarshotError)) throw error;
    }
  }

  /** What counts for everything that a confined program asks. */
  #of({ name, grant }: Client): readonly ReadMessage[] {
    const since = this.place.clock.now() - CONFINED_MS;
    return grant.confined ? (this.#known.get(name) ?? []).filter(({ at }) => at >= since) : [];
  }

  /** Somebody deletes a question. */
  #takeBack(number: number): void {
    const { world } = this.place;
    const said = [...this.#words.values()].filter(({ messageId }) => messageId !== null);
    const { placeId, messageId } = said[number % Math.max(1, said.length)] ?? {};
    if (!placeId || !messageId || !world.messages.get(placeId)?.some(({ id }) => id === messageId)) return;
    world.messages.set(
      placeId,
      (world.messages.get(placeId) ?? []).filter(({ id }) => id !== messageId),
    );
    this.place.tell("MESSAGE_DELETE", { id: messageId, channel_id: placeId });
  }

  /** How many words of earlier questions were said, each where its own operation could have said it. */
  #check(own: string, text: string, hearers: Hearers): number {
    const now = this.#words.get(own);
    const earlier = [...wordsIn(text)].filter((word) => word !== own);
    for (const word of earlier) {
      const asked = this.#words.get(word);
      expect(asked && now && this.#problemWith(asked, { now, hearers }), `${word} in ${text}`).toBeNull();
    }
    this.#tally.continued += earlier.length;
    return earlier.length;
  }

  #problemWith(asked: AskedWord, { now, hearers }: { now: AskedWord; hearers: Hearers }): string | null {
    const { world, clock } = this.place;
    const place = placeOf(world, asked.placeId);
    const isThere = (channelId: string, id: string) => world.messages.get(channelId)?.some((one) => one.id === id);
    const isNow = (id: string | null) => id === null || isSaidNow(id, { openedAt: clock.now(), messageId: null });
    if (asked.client !== now.client) return `asked by ${asked.client}, told by ${now.client}`;
    if (asked.placeId !== now.placeId || !place) return "asked elsewhere";
    if (asked.isPrivate && !(now.isPrivate && now.actor === asked.actor)) return "asked for somebody alone";
    if (asked.messageId !== null && !isThere(asked.placeId, asked.messageId)) return "the question was deleted";
    if (!asked.isPrivate && !mayFlow(place, hearers, isNow(asked.messageId)))
      return "not everybody can read the question";
    for (const { channelId, messageId } of asked.read) {
      const source = placeOf(world, channelId);
      if (!source || !isThere(channelId, messageId)) return `a source in ${channelId} is gone`;
      if (!mayFlow(source, hearers, isNow(messageId))) return `rests on ${channelId}`;
    }
    return null;
  }
}

/** The id that the next message will have. */
function peek(place: AgentInProcess): string {
  return String(BigInt(place.mintMessageId()) + 4n);
}

function wordsIn(text: string): Set<string> {
  return new Set(text.match(/\bqw\d+x\b/g));
}

it("no word of an earlier question is said where its own operation could not have said it, whoever asks through whichever client", async () => {
  const answers = await openReusedAnswers();
  const tally: Tally = { continued: 0, byPrograms: 0, chosen: 0 };
  const holds = fc.asyncProperty(communities, fc.array(step, { minLength: 4, maxLength: 12 }), async (world, steps) => {
    await answers.clear();
    const test = new World(world, answers, tally);
    try {
      for (const one of steps) await test.take(one);
    } finally {
      await test.place.closeAgent();
    }
  });
  // Silence would hold as well.
  const expectEnough = () => {
    expect(tally.continued).toBeGreaterThan(0);
    expect(tally.byPrograms).toBeGreaterThan(0);
    expect(tally.chosen).toBeGreaterThan(0);
  };
  await assertUntil(holds, expectEnough, { numRuns, endOnFailure: true });
  answers.close();
  if (numRuns > 1_000) console.log(tally);
});
