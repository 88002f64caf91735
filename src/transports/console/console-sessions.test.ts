import { describe, expect, it } from "vitest";
import type { UserId } from "../../domain/ids.ts";
import { ConsoleSessions } from "./console-sessions.ts";
import { OneTimeLinks } from "./one-time-links.ts";

function createDeps() {
  const ids = Array.from({ length: 100 }, (_, index) => `id${index}`);
  const clock = { time: 0, now: () => clock.time };
  return { clock, mintId: () => ids.pop() ?? "" };
}

describe("the sessions of the console", () => {
  it("a session ends after twelve hours, and its signal with it", () => {
    const deps = createDeps();
    const sessions = new ConsoleSessions(deps);
    const { session, secrets } = sessions.open(null);
    deps.clock.time = 12 * 3_600_000 - 1;
    expect(sessions.find(secrets)).toBe(session);
    deps.clock.time += 1;
    expect(sessions.find(secrets)).toBeNull();
    expect(session.signal.aborted).toBe(true);
    sessions.close();
  });

  it("a session is fresh for five minutes after its link was opened, also one that was chosen from another", () => {
    const deps = createDeps();
    const sessions = new ConsoleSessions(deps);
    const { session } = sessions.open(null);
    deps.clock.time = 299_999;
    expect(sessions.isFresh(session)).toBe(true);
    const chosen = sessions.open("5" as UserId, "", { from: session }).session;
    expect(sessions.isFresh(chosen)).toBe(true);
    deps.clock.time = 300_000;
    expect([session, chosen].map((each) => sessions.isFresh(each))).toEqual([false, false]);
    sessions.close();
  });

  it("tabs of one browser share a cookie and have keys of their own; a made-up cookie is not taken over", () => {
    const sessions = new ConsoleSessions(createDeps());
    const first = sessions.open(null).secrets;
    const second = sessions.open("5" as UserId, first.cookie).secrets;
    expect([second.cookie, second.key === first.key]).toEqual([first.cookie, false]);
    expect([sessions.find(first)?.actor, sessions.find(second)?.actor]).toEqual([null, "5"]);
    expect(sessions.open(null, "chosen by another page").secrets.cookie).not.toBe("chosen by another page");
    sessions.close();
  });

  it("at most twenty sessions are open, and the oldest ends first", () => {
    const sessions = new ConsoleSessions(createDeps());
    const opened = Array.from({ length: 21 }, () => sessions.open(null).session);
    expect(opened.map(({ signal }) => signal.aborted)).toEqual([true, ...Array(20).fill(false)]);
    expect(sessions.list()).toEqual(opened.slice(1).reverse());
    sessions.close();
    expect(opened.every(({ signal }) => signal.aborted)).toBe(true);
  });

  it("the sessions of a person leave those of others and of the operator open", () => {
    const sessions = new ConsoleSessions(createDeps());
    const { session } = sessions.open(null);
    const other = sessions.open("6" as UserId).session;
    const own = Array.from({ length: 21 }, () => sessions.open("5" as UserId).session);
    const isOver = [session, other, ...own.slice(0, 2)].map(({ signal }) => signal.aborted);
    expect(isOver).toEqual([false, false, true, false]);
    sessions.close();
  });

  it("at most twenty links are open, and the oldest is forgotten first", () => {
    const links = new OneTimeLinks(createDeps());
    const codes = Array.from({ length: 21 }, () => links.mint());
    expect(codes.map((code) => links.redeem(code))).toEqual([false, ...Array(20).fill(true)]);
  });
});
