import { describe, expect, it } from "vitest";

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

/** What the transport under test is opened with: something to read, something denied, something that goes on until it is stopped. */
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
  /** How many tools run at this moment. */
  running(): number;
}

/** What every transport owes its clients, whatever its wire looks like. */
export function describeTransport(name: string, open: () => Promise<ContractFixture>): void {
  describe(`${name} as a transport`, () => {
    it("lists the tools a client may call, and none that it may not", async () => {
      const { connect, connectWithout, readable } = await open();
      const all = await (await connect()).list();
      expect(all).toContain(readable.tool);
      expect(new Set(all).size).toBe(all.length);
      const fewer = await (await connectWithout()).list();
      expect(fewer).not.toContain(readable.tool);
      expect(fewer.length).toBeGreaterThan(0);
    });

    it("calls a tool and gives back what it answers", async () => {
      const { connect, readable } = await open();
      expect(await (await connect()).call(readable)).toEqual(readable.value);
    });

    it("serves many calls at once", async () => {
      const { connect, readable } = await open();
      const client = await connect();
      const answers = await Promise.all(Array.from({ length: 20 }, () => client.call(readable)));
      expect(answers).toEqual(answers.map(() => readable.value));
    });

    it("denies what is not granted, and what the person asking may not see, as though it were not there", async () => {
      const { connect, connectWithout, readable, hidden, absent } = await open();
      await expect((await connectWithout()).call(readable)).rejects.toMatchObject({ code: "forbidden" });
      const client = await connect();
      const [denied, missing] = await Promise.all([hidden, absent].map((call) => failureOf(client.call(call))));
      expect(denied).toMatchObject({ code: "not_found" });
      expect(denied?.message).toBe(missing?.message);
    });

    it("names what is wrong with a call, and goes on", async () => {
      const { connect, readable, wrong } = await open();
      const client = await connect();
      const failure = await failureOf(client.call(wrong));
      expect(failure).toMatchObject({ code: "invalid" });
      expect(failure?.message).toContain(wrong.wrongField);
      expect(await failureOf(client.call({ tool: "no.such.tool", args: {} }))).toMatchObject({ code: "not_found" });
      expect(await client.call(readable)).toEqual(readable.value);
    });

    it("tells how far a long call has come, and stops it when it is cancelled", async () => {
      const { connect, readable, endless, running } = await open();
      const client = await connect();
      const stop = new AbortController();
      const far = Promise.withResolvers<{ scanned: number; scan: number }>();
      const failure = failureOf(client.call(endless, { signal: stop.signal, onProgress: far.resolve }));
      const { scanned, scan } = await far.promise;
      expect(scanned).toBeGreaterThan(0);
      expect(scan).toBeGreaterThanOrEqual(scanned);
      expect(running()).toBe(1);
      stop.abort();
      expect(await failure).toMatchObject({ code: "cancelled" });
      await quiet(running);
      expect(await client.call(readable)).toEqual(readable.value);
    });

    it("does not begin what is cancelled already", async () => {
      const { connect, endless, running } = await open();
      const signal = AbortSignal.abort();
      expect(await failureOf((await connect()).call(endless, { signal }))).toMatchObject({ code: "cancelled" });
      expect(running()).toBe(0);
    });

    it("ends every call when it is closed", async () => {
      const { connect, readable, endless, running } = await open();
      const client = await connect();
      const begun = Promise.withResolvers<unknown>();
      const failure = failureOf(client.call(endless, { onProgress: begun.resolve }));
      await begun.promise;
      await client.close();
      expect(await failure).toMatchObject({ code: "cancelled" });
      await quiet(running);
      expect(await failureOf(client.call(readable))).toMatchObject({ code: "cancelled" });
      await client.close();
    });
  });
}

async function failureOf(call: Promise<unknown>): Promise<Error | null> {
  return call.then(
    () => null,
    (error: Error) => error,
  );
}

async function quiet(running: () => number): Promise<void> {
  await expect.poll(running, { timeout: 10_000 }).toBe(0);
}
