import { describe, expect, it } from "vitest";
import type { UserId } from "../../domain/ids.ts";
import { OPERATOR_GRANT } from "../../policy/grant.ts";
import type { Client } from "../../policy/operation.ts";
import type { ActorSession } from "./actor-session.ts";
import { ActorSessions } from "./actor-sessions.ts";

function arrive() {
  let now = 0;
  const busy = new Set<object>();
  const clients = new Map<string, Client>();
  const clientOf = (name: string) => {
    const client = clients.get(name) ?? { name, grant: OPERATOR_GRANT };
    clients.set(name, client);
    return client;
  };
  const actorSessions = new ActorSessions({
    clock: { now: () => now },
    limits: { sessions: 3, idleMs: 100 },
    openActorSession({ client }) {
      let usedAt = now;
      const actorSession = {
        client,
        get idleSince() {
          return busy.has(actorSession) ? null : usedAt;
        },
        touch() {
          usedAt = now;
        },
      };
      return actorSession as ActorSession;
    },
  });
  return {
    actorSessions,
    clients,
    busy,
    of: (name: string, actor: string) =>
      actorSessions.of({ client: clientOf(name), actor: actor as UserId, for: undefined }),
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

describe("the sessions of actors", () => {
  it("there is one session for each client and person, until it has been idle for too long", () => {
    const { actorSessions, of, pass, busy } = arrive();
    const [first, other] = [of("a", "1"), of("a", "2")];
    expect(of("a", "1")).toBe(first);
    expect(new Set([first, other, of("b", "1")]).size).toBe(3);
    busy.add(other);
    pass(101);
    actorSessions.sweep();
    expect(of("a", "2")).toBe(other);
    expect(of("a", "1")).not.toBe(first);
  });

  it("a session lasts as long as it is used", () => {
    const { actorSessions, of, pass } = arrive();
    const first = of("a", "1");
    for (let count = 0; count < 5; count += 1) {
      pass(60);
      actorSessions.sweep();
      expect(of("a", "1")).toBe(first);
    }
  });

  it("a client with too many sessions loses its own least recently used one", () => {
    const { of, busy } = arrive();
    const theirs = of("b", "1");
    const [one, two, three] = [of("a", "1"), of("a", "2"), of("a", "3")];
    busy.add(one);
    of("a", "4");
    expect([of("a", "1"), of("a", "3"), of("b", "1")]).toEqual([one, three, theirs]);
    expect(of("a", "2")).not.toBe(two);
  });

  it("a client that has another token now gets a session of its own", () => {
    const { of, clients } = arrive();
    const before = of("a", "1");
    clients.delete("a");
    expect(of("a", "1")).not.toBe(before);
  });
});
