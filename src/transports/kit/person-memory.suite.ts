import { describe, expect, it } from "vitest";
import type { FactRecord, MEMORY_METHODS, MemoryAnswer, MemoryExport } from "../../domain/rpc/memory-methods.ts";

type MemoryMethod = keyof typeof MEMORY_METHODS;
const METHODS: readonly MemoryMethod[] = [
  "memory.list",
  "memory.show",
  "memory.why",
  "memory.export",
  "memory.forget",
  "memory.erase",
];

/** These take the id of a fact. */
const NAMING = ["memory.show", "memory.why", "memory.forget"] as const;

/** A program that acts for Sarah, as the suite sees it. Failures are thrown as an `EarshotError`. */
interface MemoryClient {
  call<Name extends MemoryMethod>(method: Name, args?: Readonly<Record<string, unknown>>): Promise<MemoryAnswer<Name>>;
  /** Says something in the general channel. */
  say(text: string): Promise<unknown>;
}

/** For whom a client's grant lets it act: Sarah alone unless said. */
type Actors = "sarah" | "sarah, twice" | "sarah and mark" | "anyone";

export interface MemoryClientOptions {
  readonly name?: string;
  readonly actors?: Actors;
  /** Whether others read its answers, too. */
  readonly isPublic?: boolean;
  /** Whether its grant holds no scope, toolset or server. */
  readonly isGrantedNothing?: boolean;
}

/** Options of the server for one test case. */
export interface MemoryServer {
  readonly remembersNothing?: boolean;
  /** Whether the operator's rules forbid everything else. */
  readonly forbidsEverything?: boolean;
}

export interface MemoryFixture {
  /** Whether the store can scrub at once what is forgotten. */
  readonly canScrub: boolean;
  connect(options?: MemoryClientOptions): Promise<MemoryClient>;
  /** Saves a fact about the person and returns its id. */
  remember(who: "sarah" | "mark", key: string, value: string): Promise<string>;
  /** Saves a fact about Sarah that rests on another person's message in a closed channel; returns its id, and a link to the message. */
  rememberFrom(words: string, key: string, value: string): Promise<{ readonly id: string; readonly link: string }>;
  /** From now on Sarah cannot read that channel. Resolves once that is known. */
  shutSarahOut(): Promise<void>;
  /** That message is deleted. Resolves once that is known. */
  deleteMessage(): Promise<void>;
  /** From now on the audit cannot be written. */
  fillDisk(): void;
}

const ONLY_THE_PERSON =
  "Only the person can decide this: with /memory in Discord, or through a client whose grant names that person and nobody else in `actors`.";

/** The behaviour that every transport guarantees people whose programs read their facts. */
export function describePersonMemory(name: string, open: (server?: MemoryServer) => Promise<MemoryFixture>): void {
  describe(`memory over ${name}`, () => {
    it("lists, shows, exports, forgets and erases a person's facts for a client without any scope, whatever the rules forbid", async () => {
      const { connect, remember, canScrub } = await open({ forbidsEverything: true });
      await remember("sarah", "boat", "Tern");
      const boat = await remember("sarah", "boat", "Petrel");
      const hat = await remember("sarah", "hat", "red");
      await remember("mark", "boots", "green");
      const { call } = await connect({ isGrantedNothing: true });
      const { facts } = await call("memory.list");
      expect(facts.map(({ key, value }) => [key, value])).toEqual([
        ["hat", "red"],
        ["boat", "Petrel"],
      ]);
      expect(await call("memory.show", { fact_id: boat })).toEqual(facts[1]);
      expect(facts[1]).toMatchObject({
        id: boat,
        readable: true,
        visibility: "private",
        audience: { kind: "person" },
        verification: "user_confirmed",
        created_at: expect.stringMatching(/^\d{4}-/),
        expires_at: expect.stringMatching(/^\d{4}-/),
        dormant: null,
        dormant_text: null,
        rests_on: [{ type: "typed", own_words: true, readable: true }],
      });
      const exported = await call("memory.export");
      expect(exported.facts.map(({ value }) => value).sort()).toEqual(["Petrel", "Tern", "red"]);
      expect(exported.person_id).toBe(facts[1]?.audience.id);
      const forgotten = await call("memory.forget", { fact_id: hat });
      expect(forgotten).toEqual({
        facts: 1,
        scrubbed: canScrub,
        text: expect.stringContaining("cannot be read again"),
      });
      expect((await call("memory.list")).facts.map(({ key }) => key)).toEqual(["boat"]);
      expect(await call("memory.erase", { confirm: true })).toMatchObject({ erased: { facts: 2 } });
      expect((await call("memory.export")).facts).toEqual([]);
    });

    it("answers for somebody else's fact exactly as for one that does not exist", async () => {
      const { connect, remember } = await open();
      const others = await remember("mark", "boots", "green");
      const { call } = await connect();
      for (const method of NAMING) {
        const [foreign, absent] = [
          await failureOf(call(method, { fact_id: others })),
          await failureOf(call(method, { fact_id: "no-such-fact" })),
        ];
        expect(foreign).toMatchObject({ code: "not_found", message: "You have no such fact." });
        expect(JSON.stringify(foreign)).toBe(JSON.stringify(absent));
      }
      await expect(remember("mark", "boots", "brown")).resolves.not.toBe(others);
    });

    it.each<Actors>(["anyone", "sarah and mark", "sarah, twice"])(
      "refuses everything to a client that acts for %s",
      async (actors) => {
        const { connect, remember } = await open();
        const fact_id = await remember("sarah", "boat", "Petrel");
        const { call } = await connect({ actors });
        for (const method of METHODS) {
          const named = NAMING.some((one) => one === method);
          const args = named ? { fact_id } : method === "memory.erase" ? { confirm: true } : {};
          expect(await failureOf(call(method, args))).toMatchObject({ code: "forbidden", message: ONLY_THE_PERSON });
        }
        const own = await connect({ name: "own" });
        expect((await own.call("memory.list")).facts).toHaveLength(1);
      },
    );

    it("tells no facts where others read the answer, too", async () => {
      const { connect, remember } = await open();
      const fact_id = await remember("sarah", "boat", "Petrel");
      const { call } = await connect({ isPublic: true });
      for (const method of ["memory.list", "memory.show", "memory.why", "memory.export"] as const) {
        const named = NAMING.some((one) => one === method);
        const failure = await failureOf(call(method, named ? { fact_id } : {}));
        expect(failure).toMatchObject({ code: "forbidden", message: expect.stringContaining("that person alone") });
      }
      expect(await call("memory.forget", { fact_id })).toMatchObject({ facts: 1 });
    });

    it("keeps a program from saying to others what it was given", async () => {
      const { connect, remember } = await open();
      await remember("sarah", "boat", "Petrel");
      const { call, say } = await connect();
      expect(await failureOf(say("ahoy"))).toBeNull();
      await call("memory.list");
      expect(await failureOf(say("Sarah sails the Petrel"))).toMatchObject({ code: "forbidden" });
    });

    it("names what is wrong with an id or another argument", async () => {
      const { connect } = await open();
      const { call } = await connect();
      for (const fact_id of [5, "", "x".repeat(129), null, ["a"], { id: "a" }])
        for (const method of NAMING)
          expect(await failureOf(call(method, { fact_id }))).toMatchObject({
            code: "invalid",
            message: expect.stringContaining("`fact_id`"),
          });
      expect(await failureOf(call("memory.erase", { confirm: "yes" }))).toMatchObject({
        code: "invalid",
        message: expect.stringContaining("`confirm`"),
      });
      for (const fact_id of ["__proto__", "' OR 1=1 --", "\u0000", "🛶"])
        expect(await failureOf(call("memory.show", { fact_id }))).toMatchObject({ code: "not_found" });
    });

    it("exports nobody else's words, and links only to what the person can read now", async () => {
      const words = "the tide turns at four";
      const { connect, rememberFrom, shutSarahOut } = await open();
      const { id, link } = await rememberFrom(words, "tide", "four o'clock");
      const { call } = await connect();
      const exported = await call("memory.export");
      expect(JSON.stringify(exported)).not.toContain(words);
      const source = { type: "discord_message", own_words: false };
      expect(recordIn(exported, id)).toMatchObject({
        value: "four o'clock",
        rests_on: [{ ...source, ref: link, readable: true }],
      });
      await shutSarahOut();
      const hidden = await call("memory.export");
      expect(recordIn(hidden, id)).toMatchObject({
        key: "tide",
        readable: false,
        value: null,
        dormant: "source_out_of_reach",
        dormant_text: expect.stringMatching(/\w/),
        rests_on: [{ ...source, readable: false }],
      });
      expect(JSON.stringify(hidden)).not.toMatch(/four|https:/);
      expect(await call("memory.show", { fact_id: id })).toEqual({ ...recordIn(hidden, id), heard_by_text: null });
    });

    it("explains what a fact rests on and who hears it, and links only to what the person can read now", async () => {
      const words = "the tide turns at four";
      const { connect, rememberFrom, shutSarahOut } = await open();
      const { id, link } = await rememberFrom(words, "tide", "four o'clock");
      const { call, say } = await connect();
      const shown = await call("memory.show", { fact_id: id });
      const { fact, text } = await call("memory.why", { fact_id: id });
      expect(fact).toEqual(shown);
      expect(text).toMatch(/^"tide": "four o'clock"\nRemembered since \d{4}-.*; you confirmed it\.\nIt rests on:\n/);
      expect(text).toContain(`\n- ${link}\nWho can hear it: only you.`);
      expect(text).not.toContain(words);
      expect(await failureOf(say("the tide turns at four"))).toMatchObject({ code: "forbidden" });
      await shutSarahOut();
      const hidden = await call("memory.why", { fact_id: id });
      expect(hidden.text).toContain('"tide": (not shown: you cannot read what it rests on)');
      expect(hidden.text).toContain("\n- a message that you cannot read\nNot in use:");
      expect(JSON.stringify(hidden)).not.toMatch(/four|https:/);
    });

    it("links to no message that was deleted, and shows nothing that rested on it", async () => {
      const { connect, rememberFrom, deleteMessage } = await open();
      const { id } = await rememberFrom("the tide turns at four", "tide", "four o'clock");
      await deleteMessage();
      const { call } = await connect();
      expect(await call("memory.show", { fact_id: id })).toMatchObject({
        readable: false,
        value: null,
        dormant: "source_deleted",
        rests_on: [{ ref: expect.stringMatching(/^\d+\/\d+$/), readable: false }],
      });
    });

    it("erases nothing before that is confirmed, and then gives a receipt, also while the audit cannot be written", async () => {
      const { connect, remember, fillDisk, canScrub } = await open();
      await remember("sarah", "boat", "Petrel");
      const { call } = await connect();
      const preview = await call("memory.erase");
      expect(preview).toEqual({ erased: null, text: expect.stringContaining("Nothing has been erased yet") });
      expect(preview.text).toContain("What stays:");
      expect((await call("memory.list")).facts).toHaveLength(1);
      fillDisk();
      expect(await call("memory.erase", { confirm: true })).toEqual({
        erased: { facts: 1, scrubbed: canScrub, talks: 0, confirmations: 0, messages: true },
        text: expect.stringContaining("- facts about you, with their history: 1."),
      });
      expect((await call("memory.export")).facts).toEqual([]);
      const again = await call("memory.erase", { confirm: true });
      expect(again).toMatchObject({ erased: { facts: 0, messages: false } });
    });

    it("says when to try again to a client with too many requests, and goes on serving others", async () => {
      const { connect, remember } = await open();
      await remember("sarah", "boat", "Petrel");
      const { call } = await connect();
      const failures = await Promise.all(Array.from({ length: 22 }, () => failureOf(call("memory.list"))));
      const refused = failures.filter((failure) => failure !== null);
      expect(refused.length).toBeGreaterThan(0);
      for (const failure of refused)
        expect(failure).toMatchObject({ code: "rate_limited", retryAfter: expect.any(Number) });
      expect(await failureOf(call("memory.erase", { confirm: true }))).toMatchObject({ code: "rate_limited" });
      const other = await connect({ name: "other" });
      expect((await other.call("memory.list")).facts).toHaveLength(1);
    });

    it("is unavailable where nothing is remembered, except that held messages can be erased there, too", async () => {
      const { connect } = await open({ remembersNothing: true });
      const { call } = await connect();
      for (const method of METHODS.filter((each) => each !== "memory.erase")) {
        const named = NAMING.some((one) => one === method);
        const failure = await failureOf(call(method, named ? { fact_id: "x" } : {}));
        expect(failure).toMatchObject({ code: "unavailable", message: "Nothing is remembered here." });
      }
      const erased = { facts: 0, scrubbed: true, confirmations: 0, messages: true };
      expect(await call("memory.erase", { confirm: true })).toMatchObject({ erased });
    });
  });
}

function recordIn({ facts }: MemoryExport, id: string): FactRecord | undefined {
  return facts.find((one) => one.id === id);
}

async function failureOf(call: Promise<unknown>): Promise<object | null> {
  return call.then(
    () => null,
    (error: object) => error,
  );
}
