import { describe, expect, it } from "vitest";
import type { EarshotError } from "../domain/errors.ts";
import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { AuditEntry } from "../ports/audit-store.ts";
import type { Action } from "./action.ts";
import { type Confirmation, Confirmations } from "./confirmations.ts";
import type { Operation } from "./operation.ts";

const MINUTE = 60_000;
const SARAH = "1" as UserId;
const MARK = "2" as UserId;

function arrive() {
  let now = 1_000_000;
  let minted = 0;
  const entries: AuditEntry[] = [];
  const asked: Confirmation[] = [];
  const confirmations = new Confirmations({
    audit: { note: (entry) => void entries.push(entry), hash: (text) => `#${text}` },
    clock: { now: () => now },
    mintId: () => `c${++minted}`,
    onRequest: (one) => void asked.push(one),
  });
  const operation = (id: string, actor = SARAH, lifetime = 15 * MINUTE, client = id) =>
    ({ id, actor, client: { name: client }, expiresAt: now + lifetime }) as Operation;
  const ask = (by: Operation, action: Action) => problemOf(() => confirmations.require(by, "discord.send", action));
  return {
    confirmations,
    entries,
    asked,
    operation,
    ask,
    pass: (ms: number) => {
      now += ms;
    },
    now: () => now,
  };
}

const say = (text: string): Action => ({
  kind: "send",
  channelId: "9" as ChannelId,
  text,
  replyTo: null,
  mentions: [],
});

const remember = (subjectId: UserId | null): Action => ({
  kind: "remember",
  ways: [null, subjectId].map((id) => ({
    name: "only_for_me",
    request: { subjectId: id, value: "tea" } as never,
    replaces: [],
    staysShared: [],
  })),
  erasures: 0,
});
const forget = (subjectId: UserId | null): Action => ({ kind: "forget", fact: { id: "f1", subjectId } as never });

describe("a confirmation", () => {
  it("is requested once per action and operation, and any changed byte makes another one", () => {
    const { asked, operation, ask } = arrive();
    const mine = operation("op1");
    expect(ask(mine, say("hello"))).toMatchObject({ code: "confirmation_needed", confirmationId: "c1" });
    expect(ask(mine, say("hello"))?.confirmationId).toBe("c1");
    expect(ask(mine, say("hello "))?.confirmationId).toBe("c2");
    expect(ask(mine, { ...say("hello"), channelId: "8" as ChannelId } as Action)?.confirmationId).toBe("c3");
    expect(ask(operation("op2"), say("hello"))?.confirmationId).toBe("c4");
    expect(asked.map(({ id }) => id)).toEqual(["c1", "c2", "c3", "c4"]);
    expect(asked[0]).toMatchObject({ operation: mine, tool: "discord.send", action: say("hello") });
  });

  it("can be used once, only by the person it waits for", () => {
    const { confirmations, operation, ask } = arrive();
    ask(operation("op1"), say("hello"));
    expect(problemOf(() => confirmations.claim("c1", MARK))?.code).toBe("not_found");
    expect(problemOf(() => confirmations.find("c1", MARK))?.code).toBe("not_found");
    expect(problemOf(() => confirmations.claim("c2", SARAH))?.code).toBe("not_found");
    expect(confirmations.find("c1", SARAH).action).toEqual(say("hello"));
    expect(confirmations.claim("c1", SARAH).action).toEqual(say("hello"));
    expect(problemOf(() => confirmations.claim("c1", SARAH))?.code).toBe("not_found");
    expect(problemOf(() => confirmations.reject("c1", SARAH))?.code).toBe("not_found");
    expect(confirmations.pending()).toEqual([]);
  });

  it("returns its outcome to a client that repeats the call", () => {
    const { confirmations, operation, ask } = arrive();
    const mine = operation("op1");
    ask(mine, say("hello"));
    confirmations.claim("c1", SARAH);
    expect(ask(mine, say("hello"))).toMatchObject({ code: "confirmation_needed", confirmationId: "c1" });
    const sent = [{ message_id: "77" as MessageId }] as never;
    confirmations.settle("c1", sent);
    expect(confirmations.require(mine, "discord.send", say("hello"))).toBe(sent);
    ask(mine, say("other"));
    confirmations.reject("c2", SARAH);
    expect(ask(mine, say("other"))?.code).toBe("forbidden");
  });

  it("can be requested again when the confirmed action could not be carried out", () => {
    const { confirmations, operation, ask } = arrive();
    const mine = operation("op1");
    ask(mine, say("hello"));
    confirmations.claim("c1", SARAH);
    confirmations.giveUp("c1");
    expect(ask(mine, say("hello"))?.confirmationId).toBe("c2");
    expect(problemOf(() => confirmations.claim("c1", SARAH))?.code).toBe("not_found");
  });

  it("expires after ten minutes, or with its operation", () => {
    const { confirmations, operation, ask, pass, now } = arrive();
    ask(operation("op1"), say("hello"));
    ask(operation("op2", SARAH, 3 * MINUTE), say("hello"));
    const begun = now();
    expect(confirmations.pending().map(({ expiresAt }) => expiresAt - begun)).toEqual([10 * MINUTE, 3 * MINUTE]);
    pass(3 * MINUTE);
    expect(problemOf(() => confirmations.claim("c2", SARAH))?.code).toBe("not_found");
    expect(confirmations.pending().map(({ id }) => id)).toEqual(["c1"]);
    pass(7 * MINUTE - 1);
    expect(confirmations.find("c1", SARAH).id).toBe("c1");
    pass(1);
    expect(problemOf(() => confirmations.claim("c1", SARAH))?.code).toBe("not_found");
    expect(confirmations.pending()).toEqual([]);
  });

  it("is listed for the person it waits for, and in the list for everybody", () => {
    const { confirmations, operation, ask } = arrive();
    ask(operation("op1"), say("hello"));
    ask(operation("op2", MARK), say("hello"));
    expect(confirmations.pending(MARK).map(({ id }) => id)).toEqual(["c2"]);
    expect(confirmations.pending().map(({ id }) => id)).toEqual(["c1", "c2"]);
  });

  it("is limited to five waiting per operation", () => {
    const { operation, ask } = arrive();
    const mine = operation("op1");
    for (let count = 0; count < 5; count += 1) expect(ask(mine, say(`${count}`))?.code).toBe("confirmation_needed");
    expect(ask(mine, say("one more"))?.code).toBe("rate_limited");
    expect(ask(mine, say("3"))?.code).toBe("confirmation_needed");
    expect(ask(operation("op2"), say("one more"))?.code).toBe("confirmation_needed");
  });

  it("names the reason and the next step when it is refused", () => {
    const { confirmations, operation, ask } = arrive();
    const mine = operation("op1");
    expect(ask(mine, say("hello"))?.message).toContain("has to confirm this first");
    confirmations.reject("c1", SARAH);
    expect(ask(mine, say("hello"))?.message).toContain("has declined this");
    for (let count = 0; count < 5; count += 1) ask(mine, say(`${count}`));
    expect(ask(mine, say("more"))).toMatchObject({
      retryAfter: 60,
      message: expect.stringContaining("Too many actions are waiting"),
    });
  });

  it("is remembered after the decision until its operation expires, and then forgotten", () => {
    const { confirmations, operation, ask, pass } = arrive();
    const mine = operation("op1");
    ask(mine, say("hello"));
    confirmations.reject("c1", SARAH);
    pass(15 * MINUTE - 1);
    expect(ask(mine, say("hello"))?.code).toBe("forbidden");
    pass(1);
    expect(ask(mine, say("hello"))?.confirmationId).toBe("c2");
  });

  it("is gone when the person erases theirs, and others' stay", () => {
    const { confirmations, operation, ask, entries } = arrive();
    const mine = operation("op1");
    ask(mine, say("hello"));
    ask(mine, say("done before"));
    confirmations.claim("c2", SARAH);
    confirmations.settle("c2", []);
    ask(operation("op2", MARK), say("hello"));
    expect(confirmations.drop(SARAH)).toBe(1);
    expect(problemOf(() => confirmations.claim("c1", SARAH))?.code).toBe("not_found");
    expect(confirmations.pending().map(({ id }) => id)).toEqual(["c3"]);
    expect(ask(mine, say("done before"))?.confirmationId).toBe("c4");
    expect(entries.some(({ row }) => "name" in row && row.name === "erased")).toBe(true);
    expect(JSON.stringify(entries.filter(({ kind }) => kind === "event"))).not.toContain("hello");
  });

  it("of something about a person is shown to and decided by that person alone, never by who speaks for them", () => {
    for (const action of [remember(SARAH), forget(SARAH)]) {
      const { confirmations, operation, ask } = arrive();
      ask(operation("op1"), action);
      expect(confirmations.pending(SARAH)).toEqual([]);
      expect(confirmations.pending()).toEqual([]);
      expect(confirmations.pending(SARAH, { inPerson: true })).toHaveLength(1);
      const inPerson = { inPerson: true };
      for (const decide of ["find", "claim", "reject"] as const) {
        expect(problemOf(() => confirmations[decide]("c1", SARAH))?.code).toBe("not_found");
        expect(problemOf(() => confirmations[decide]("c1", MARK, inPerson))?.code).toBe("not_found");
      }
      expect(confirmations.find("c1", SARAH, inPerson).action).toBe(action);
      confirmations.claim("c1", SARAH, inPerson);
    }
  });

  it("of something about a project is listed and decided like any other", () => {
    const { confirmations, operation, ask } = arrive();
    ask(operation("op1"), remember(null));
    ask(operation("op2"), forget(null));
    expect(confirmations.pending(SARAH)).toHaveLength(2);
    confirmations.claim(confirmations.pending(SARAH)[0]?.id ?? "", SARAH);
    expect(confirmations.pending(SARAH)).toHaveLength(1);
  });

  it("of something to be remembered or forgotten counts for the person's maximum, and is dropped with the rest", () => {
    const { confirmations, operation, ask } = arrive();
    const mine = operation("op1");
    for (let count = 0; count < 5; count += 1) ask(mine, { ...remember(SARAH), erasures: count } as Action);
    expect(ask(mine, say("more"))?.code).toBe("rate_limited");
    expect(confirmations.drop(SARAH)).toBe(5);
  });

  it("of something to be remembered or forgotten leaves a hash in the audit from which nothing can be guessed", () => {
    for (const action of [remember(SARAH), forget(SARAH)]) {
      const { operation, ask, entries } = arrive();
      ask(operation("op1"), action);
      expect(entries[0]?.row).toMatchObject({ destination: "memory", action_hash: `#c2${JSON.stringify(action)}` });
    }
  });

  it("whose outcome is unknown is gone on with by the same call in the same operation, once", () => {
    const { confirmations, operation, ask } = arrive();
    const mine = operation("op1");
    ask(mine, say("hello"));
    expect(confirmations.reclaim(mine, say("hello"))).toBeNull();
    confirmations.claim("c1", SARAH);
    expect(confirmations.reclaim(mine, say("hello"))).toBeNull();
    confirmations.leaveOpen("c1");
    expect(ask(mine, say("hello"))).toMatchObject({ code: "confirmation_needed", confirmationId: "c1" });
    expect(confirmations.reclaim(mine, say("other"))).toBeNull();
    expect(confirmations.reclaim(operation("op2"), say("hello"))).toBeNull();
    expect(confirmations.reclaim(mine, say("hello"))?.id).toBe("c1");
    expect(confirmations.reclaim(mine, say("hello"))).toBeNull();
  });

  it("that is being done stays when the person erases theirs, and its outcome is told", () => {
    const { confirmations, operation, ask } = arrive();
    const mine = operation("op1");
    ask(mine, say("hello"));
    confirmations.claim("c1", SARAH);
    expect(confirmations.drop(SARAH)).toBe(0);
    confirmations.settle("c1", []);
    expect(confirmations.require(mine, "discord.send", say("hello"))).toEqual([]);
  });

  it("with an unknown id can be settled or given up without an error", () => {
    const { confirmations } = arrive();
    confirmations.settle("never", []);
    confirmations.giveUp("never");
    confirmations.leaveOpen("never");
    expect(confirmations.pending()).toEqual([]);
  });

  it("can be requested without a listener that asks the person", () => {
    const { confirmations } = arrive();
    const alone = new Confirmations({
      audit: { note: () => {}, hash: (text) => text },
      clock: { now: () => 0 },
      mintId: () => "only",
    });
    const operation = { id: "op", actor: SARAH, client: { name: "brain" }, expiresAt: MINUTE } as Operation;
    expect(problemOf(() => alone.require(operation, "discord.send", say("hello")))?.code).toBe("confirmation_needed");
    expect(confirmations.pending()).toEqual([]);
  });

  it("is refused when 25 wait for one person through one client, whose others go on", () => {
    const { confirmations, operation, ask } = arrive();
    const mine = (id: string, client = "brain", actor = SARAH) => operation(id, actor, MINUTE, client);
    for (let count = 0; count < 25; count += 1) ask(mine(`op${count}`), say("hello"));
    expect(ask(mine("more"), say("hello"))?.code).toBe("rate_limited");
    expect(ask(mine("theirs", "other"), say("hello"))?.code).toBe("confirmation_needed");
    expect(ask(mine("marks", "brain", MARK), say("hello"))?.code).toBe("confirmation_needed");
    confirmations.reject("c1", SARAH);
    expect(ask(mine("again"), say("hello"))?.code).toBe("confirmation_needed");
  });

  it("is evicted, oldest first, when there are more than 5,000", () => {
    const { confirmations, operation, ask } = arrive();
    for (let count = 0; count < 5_000; count += 1) ask(operation(`op${count}`), say("hello"));
    expect(confirmations.pending()).toHaveLength(5_000);
    ask(operation("one more"), say("hello"));
    expect(confirmations.pending()).toHaveLength(5_000);
    expect(problemOf(() => confirmations.find("c1", SARAH))?.code).toBe("not_found");
  });

  it("is audited with its outcome and the hash of its action, never with the text", () => {
    const { confirmations, operation, ask, entries } = arrive();
    ask(operation("op1"), say("secret words"));
    ask(operation("op2"), say("others"));
    confirmations.claim("c1", SARAH);
    confirmations.reject("c2", SARAH);
    expect(entries.map(({ kind }) => kind)).toEqual(["confirmation", "confirmation", "event", "event"]);
    expect(entries[0]?.row).toMatchObject({
      id: "c1",
      operation_id: "op1",
      actor_id: SARAH,
      tool: "discord.send",
      destination: "9",
      action_hash: `#${JSON.stringify(say("secret words"))}`,
    });
    expect(entries.slice(2).map(({ row }) => row)).toMatchObject([
      { operation_id: "op1", name: "confirmed", detail_json: '{"confirmation_id":"c1"}' },
      { operation_id: "op2", name: "declined", detail_json: '{"confirmation_id":"c2"}' },
    ]);
  });
});

function problemOf(run: () => unknown): EarshotError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error as EarshotError;
  }
}
