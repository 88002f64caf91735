import { describe, expect, it } from "vitest";
import type { EarshotError } from "../../domain/errors.ts";

/** A client of a transport, as the suite sees it. Failures are thrown as an `EarshotError`. */
export interface ContractClient {
  /** The names of the tools this client may call. */
  list(): Promise<readonly string[]>;
  call(call: ContractCall, options?: ContractOptions): Promise<unknown>;
  /** Safe to repeat. */
  close(): Promise<void>;
}

interface ContractCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

interface ContractOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { scanned: number; scan: number }) => void;
}

/** Options of the server for one test case. */
export interface ContractServer {
  /** Limits of the calls of one client. */
  readonly limits?: { readonly concurrentCalls?: number; readonly callMs?: number };
  /** Calls of one person in a minute. */
  readonly callsPerMinute?: number;
  /** In the channel that is read. */
  readonly messages?: number;
}

/** The world for the transport under test: one thing to read, one denied, and one call that runs until it is stopped. */
export interface ContractFixture {
  connect(): Promise<ContractClient>;
  /** A client that is granted all but the scope of `readable`. */
  connectWithout(): Promise<ContractClient>;
  readonly readable: ContractCall & { readonly value: unknown };
  /** Something that exists, and that the person asking may not see. */
  readonly hidden: ContractCall;
  /** Something that does not exist, of the same kind. */
  readonly absent: ContractCall;
  /** Wrong in the field `wrongField`. */
  readonly wrong: ContractCall & { readonly wrongField: string };
  readonly endless: ContractCall;
  /** A misspelt tool, and the tool that was meant. */
  readonly misspelt: ContractCall & { readonly meant: string };
  /** Has to be confirmed by the person once `before` has been read. */
  readonly effect: ContractCall & { readonly before: ContractCall };
  /** Needs Discord's answer. */
  readonly uncached: ContractCall;
  /** From now on Discord answers no more reads of messages. */
  breakDiscord(): void;
  /** From now on every call of a tool fails with this, or, for null, makes no progress until it is stopped. */
  breakTools(error: Error | null): void;
  /** How many tools run at this moment. */
  running(): number;
  /** Everything that was logged. */
  logged(): string;
}

const CASES = {
  list: "lists the tools a client may call, and none that it may not",
  read: "calls a tool and returns its result",
  many: "serves many calls at once",
  scope: "refuses a tool that the client is not granted",
  denied: "answers a request for something hidden as if it did not exist",
  bad_arguments: "names the wrong field of a call, and serves the next call",
  unknown_tool: "suggests a name for an unknown tool",
  progress: "reports the progress of a long call",
  cancel: "stops a call that is cancelled, and serves the next call",
  cancelled_before: "does not start a call that is already cancelled",
  close: "ends every call when the client is closed",
  rate_limit: "says when to try again when the rate limit is reached",
  too_many: "refuses a call beyond the maximum at once",
  timeout: "stops a call that makes no progress",
  unforeseen: "answers an unforeseen error with `internal`, and neither answers nor logs its message",
  confirmation: "gives the id of the confirmation that an effect needs",
  unavailable: "answers `unavailable` when Discord does not answer",
} as const;

type Case = keyof typeof CASES;

export interface ContractHarness {
  open(server?: ContractServer): Promise<ContractFixture>;
  /** Cases that this wire cannot express, each with the reason. `codes`: errors are sentences for people, without code or fields. */
  readonly cannot?: Readonly<Partial<Record<Case | "codes", string>>>;
}

const SECRET = "the private words of somebody";
/** Twenty pages of them. */
const MANY_MESSAGES = 2_000;

/** The behaviour that every transport guarantees its clients. */
export function describeTransport(name: string, { open, cannot = {} }: ContractHarness): void {
  const check = (one: Case, run: () => Promise<void>) =>
    cannot[one] === undefined ? it(CASES[one], run) : it.skip(`${CASES[one]} (not here: ${cannot[one]})`, run);
  /** The fields of a failure, where the wire has them. */
  const like = (fields: Partial<EarshotError>) =>
    expect.objectContaining(cannot.codes === undefined ? fields : { message: expect.stringMatching(/\w/) });

  describe(`${name} as a transport`, () => {
    check("list", async () => {
      const { connect, connectWithout, readable } = await open();
      const all = await (await connect()).list();
      expect(all).toContain(readable.tool);
      expect(new Set(all).size).toBe(all.length);
      const fewer = await (await connectWithout()).list();
      expect(fewer).not.toContain(readable.tool);
      expect(fewer.length).toBeGreaterThan(0);
    });

    check("read", async () => {
      const { connect, readable } = await open();
      expect(await (await connect()).call(readable)).toEqual(readable.value);
    });

    check("many", async () => {
      const { connect, readable } = await open();
      const client = await connect();
      const answers = await Promise.all(Array.from({ length: 20 }, () => client.call(readable)));
      expect(answers).toEqual(answers.map(() => readable.value));
    });

    check("scope", async () => {
      const { connectWithout, readable } = await open();
      expect(await failureOf((await connectWithout()).call(readable))).toEqual(like({ code: "forbidden" }));
    });

    check("denied", async () => {
      const { connect, hidden, absent } = await open();
      const client = await connect();
      const [denied, missing] = [await failureOf(client.call(hidden)), await failureOf(client.call(absent))];
      expect(denied).toEqual(like({ code: "not_found" }));
      expect(denied?.message).toBe(missing?.message);
    });

    check("bad_arguments", async () => {
      const { connect, readable, wrong } = await open();
      const client = await connect();
      const failure = await failureOf(client.call(wrong));
      expect(failure).toEqual(like({ code: "invalid" }));
      expect(failure?.message).toContain(wrong.wrongField);
      expect(await client.call(readable)).toEqual(readable.value);
    });

    check("unknown_tool", async () => {
      const { connect, misspelt } = await open();
      const client = await connect();
      const failure = await failureOf(client.call(misspelt));
      expect(failure).toEqual(like({ code: "not_found" }));
      expect(failure?.message).toMatch(/There is no (tool|method) `.*`; did you mean `.*`\?$/);
      expect(failure?.candidates?.map((candidate) => candidate.name)).toContain(misspelt.meant);
      expect(await failureOf(client.call({ tool: "quux", args: {} }))).toEqual(like({ code: "not_found" }));
    });

    check("progress", async () => {
      const { connect, readable, endless, running } = await open({ messages: MANY_MESSAGES });
      const client = await connect();
      const stop = new AbortController();
      const far = Promise.withResolvers<{ scanned: number; scan: number }>();
      const failure = failureOf(client.call(endless, { signal: stop.signal, onProgress: far.resolve }));
      const { scanned, scan } = await far.promise;
      expect(scanned).toBeGreaterThan(0);
      expect(scan).toBeGreaterThanOrEqual(scanned);
      expect(running()).toBe(1);
      stop.abort();
      expect(await failure).toEqual(like({ code: "cancelled" }));
      await quiet(running);
      expect(await client.call(readable)).toEqual(readable.value);
    });

    check("cancel", async () => {
      const { connect, readable, running, breakTools } = await open();
      const client = await connect();
      breakTools(null);
      const stop = new AbortController();
      const failure = failureOf(client.call(readable, { signal: stop.signal }));
      await expect.poll(running).toBe(1);
      stop.abort();
      expect(await failure).toEqual(like({ code: "cancelled" }));
      await quiet(running);
    });

    check("cancelled_before", async () => {
      const { connect, endless, running } = await open({ messages: MANY_MESSAGES });
      const signal = AbortSignal.abort();
      expect(await failureOf((await connect()).call(endless, { signal }))).toEqual(like({ code: "cancelled" }));
      expect(running()).toBe(0);
    });

    check("close", async () => {
      const { connect, readable, endless, running } = await open({ messages: MANY_MESSAGES });
      const client = await connect();
      const begun = Promise.withResolvers<unknown>();
      const failure = failureOf(client.call(endless, { onProgress: begun.resolve }));
      await begun.promise;
      await client.close();
      expect(await failure).toEqual(like({ code: "cancelled" }));
      await quiet(running);
      expect(await failureOf(client.call(readable))).toEqual(like({ code: "cancelled" }));
      await client.close();
    });

    check("rate_limit", async () => {
      const { connect, readable } = await open({ callsPerMinute: 2 });
      const client = await connect();
      const failures = [];
      for (let count = 0; count < 3; count += 1) failures.push(await failureOf(client.call(readable)));
      expect(failures.slice(0, 2)).toEqual([null, null]);
      expect(failures[2]).toEqual(like({ code: "rate_limited", retryAfter: expect.any(Number) }));
      expect(failures[2]?.message).toMatch(/try again in \d+ seconds/);
    });

    check("too_many", async () => {
      const { connect, readable, running, breakTools } = await open({ limits: { concurrentCalls: 3 } });
      const client = await connect();
      breakTools(null);
      for (let count = 0; count < 3; count += 1) void failureOf(client.call(readable));
      await expect.poll(running).toBe(3);
      expect(await failureOf(client.call(readable))).toEqual(like({ code: "rate_limited", retryAfter: 1 }));
    });

    check("timeout", async () => {
      const { connect, readable, running, breakTools } = await open({ limits: { callMs: 200 } });
      const client = await connect();
      breakTools(null);
      expect(await failureOf(client.call(readable))).toEqual(like({ code: "timeout" }));
      await quiet(running);
    });

    check("unforeseen", async () => {
      const { connect, readable, breakTools, logged } = await open();
      const client = await connect();
      breakTools(new TypeError(SECRET));
      const failure = await failureOf(client.call(readable));
      expect(failure).toEqual(like({ code: "internal" }));
      expect(`${failure?.message} ${logged()}`).not.toContain(SECRET);
      expect(failure?.message).not.toMatch(/TypeError| at /);
      expect(logged()).toContain("TypeError");
    });

    check("confirmation", async () => {
      const { connect, effect } = await open();
      const client = await connect();
      await client.call(effect.before);
      const needed = { code: "confirmation_needed", confirmationId: expect.stringMatching(/\w/) } as const;
      expect(await failureOf(client.call(effect))).toEqual(like(needed));
    });

    check("unavailable", async () => {
      const { connect, uncached, breakDiscord } = await open();
      const client = await connect();
      breakDiscord();
      expect(await failureOf(client.call(uncached))).toEqual(like({ code: "unavailable" }));
    });
  });
}

async function failureOf(call: Promise<unknown>): Promise<EarshotError | null> {
  return call.then(
    () => null,
    (error: EarshotError) => error,
  );
}

async function quiet(running: () => number): Promise<void> {
  await expect.poll(running).toBe(0);
}
