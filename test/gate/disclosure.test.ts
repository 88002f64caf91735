import { describe, expect, it } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import type { ChannelId } from "../../src/domain/ids.ts";
import type { SendAction } from "../../src/policy/action.ts";
import type { Grant } from "../../src/policy/grant.ts";
import { openTestGate, type TestGateOptions } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

interface Given {
  readonly grant?: Partial<Grant>;
  readonly gate?: TestGateOptions;
  readonly neverFrom?: readonly string[];
  readonly isOff?: boolean;
}

/** Mei has asked in private about the berth, which is discussed in the staff room; her agent would tell it in #general. */
async function arrive({ grant = {}, gate: options = {}, neverFrom = [], isOff = false }: Given = {}) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
  sandbox.as("mark").say("general", "when does the berth open?");
  const source = sandbox.as("mei").say("staff-room", "the berth opens on monday at noon");
  const [guildId = ""] = sandbox.world.guilds.keys();
  const disclosure = {
    guilds: isOff ? [] : [guildId],
    neverFrom: neverFrom.map((key) => sandbox.community.channels.get(key)),
  };
  const test = await openTestGate(sandbox, { ...options, rules: { disclosure } });
  const { id, asked } = test;
  const mei = test.person("mei");
  const openPrivately = () => test.open("mei", "general", grant, { isPrivate: true, channelId: undefined as never });
  const within = (operation: Awaited<ReturnType<typeof openPrivately>>) => {
    const call = (name: string, args: object) => test.gate.callTool({ name, args, operation });
    const read = (key = "staff-room") => call("discord.channel.messages", { channel_id: id(key) });
    const tell = async (key = "general", text = "the berth opens on monday at noon") => {
      try {
        await call("discord.send", { channel_id: id(key), text });
        return "sent";
      } catch (error) {
        return error instanceof EarshotError ? error.code : String(error);
      }
    };
    return { call, read, tell };
  };
  const confirm = async (one = asked.at(-1)) => {
    try {
      await test.gate.confirm(one?.id ?? "", mei, { inPerson: true });
      return "done";
    } catch (error) {
      return error instanceof EarshotError ? error.code : String(error);
    }
  };
  const operation = await openPrivately();
  return { ...test, ...within(operation), operation, within, source, mei, confirm };
}

describe("what not everyone in a channel may read", () => {
  it("is not told there, and nobody is asked, where the operator has not switched it on", async () => {
    const { read, tell, asked, said } = await arrive({ isOff: true });
    await read();
    expect(await tell()).toBe("forbidden");
    expect([asked, said("general")]).toEqual([[], []]);
  });

  it("is told there once the person has confirmed exactly that, in their name", async () => {
    const { read, tell, asked, confirm, said, id, mei, gate, audited } = await arrive();
    await read();
    expect(await tell()).toBe("confirmation_needed");
    const action = asked[0]?.action as SendAction;
    expect(action.disclosure).toMatchObject({
      // Olga owns the server, and the bots do not count: of the others Sarah and Mark cannot read it.
      barred: [{ channelId: id("staff-room"), isQuoted: true, learners: 2 }],
      others: 0,
    });
    expect(said("general")).toEqual([]);
    expect(gate.confirmations.pending(mei)).toEqual([]);
    expect(gate.confirmations.pending(mei, { inPerson: true })).toHaveLength(1);
    expect(await confirm()).toBe("done");
    const text = `-# shared by <@${mei}>\nthe berth opens on monday at noon`;
    expect([action.text, ...said("general")]).toEqual([text, text]);
    const told = audited.flatMap((entry) =>
      entry.kind === "event" && entry.row.name === "disclosed" ? [entry.row] : [],
    );
    expect(told.map(({ detail_json }) => JSON.parse(detail_json))).toMatchObject([
      { actor_id: mei, channel_id: id("general"), from: [{ channel_id: id("staff-room"), quoted: true, learners: 2 }] },
    ]);
  });

  it("is told once: the same call says what became of it, and anything else has to be confirmed by itself", async () => {
    const { read, tell, confirm, said, asked } = await arrive();
    await read();
    await tell();
    expect(await confirm()).toBe("done");
    expect(await tell()).toBe("sent");
    expect(await confirm(asked[0])).toBe("not_found");
    expect(await tell("general", "the berth opens on monday")).toBe("confirmation_needed");
    expect(said("general")).toHaveLength(1);
  });

  it("is told no more than three times an hour", async () => {
    const { read, tell, confirm, said } = await arrive();
    await read();
    for (const day of ["monday", "tuesday", "friday"]) {
      expect(await tell("general", `the berth opens on ${day}`)).toBe("confirmation_needed");
      expect(await confirm()).toBe("done");
    }
    expect(await tell("general", "the berth opens on sunday")).toBe("forbidden");
    expect(said("general")).toHaveLength(3);
  });

  it("is not confirmed by anybody who speaks for the person", async () => {
    const { read, tell, gate, asked, mei, said } = await arrive();
    await read();
    await tell();
    await expect(gate.confirm(asked[0]?.id ?? "", mei)).rejects.toMatchObject({ code: "not_found" });
    expect(said("general")).toEqual([]);
  });
});

it("nothing is told while it cannot be noted who told what to whom", async () => {
  let isFull = false;
  const full = () => Promise.reject(new EarshotError("unavailable", "The disk is full."));
  const wrapAudit: NonNullable<TestGateOptions["wrapAudit"]> = (audit) =>
    new Proxy(audit, {
      get(target, name) {
        if (name === "settled" && isFull) return full;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const { read, tell, confirm, said } = await arrive({ gate: { wrapAudit } });
  await read();
  expect(await tell()).toBe("confirmation_needed");
  isFull = true;
  expect(await confirm()).toBe("unavailable");
  expect(said("general")).toEqual([]);
  isFull = false;
  expect(await tell()).toBe("confirmation_needed");
  expect(await confirm()).toBe("done");
  expect(said("general")).toHaveLength(1);
});

type Arrived = Awaited<ReturnType<typeof arrive>>;

describe("a confirmation to tell something", () => {
  it.each<[string, (all: Arrived) => unknown]>([
    [
      "the source is edited, even if only by more words",
      ({ sandbox, source }) => sandbox.as("mei").edit(source, "the berth opens on monday at noon, I hope"),
    ],
    ["the source is deleted", ({ sandbox, source }) => sandbox.as("mei").delete(source)],
    ["something else has been read since", ({ read }) => read("pier")],
    ["the person cannot read the source any more", ({ sandbox }) => sandbox.admin.setRoles("mei", [])],
    ["the person may not speak there any more", ({ sandbox }) => sandbox.admin.timeout("mei", 10)],
    ["one more person can see the place", ({ sandbox }) => sandbox.admin.addMember(sandbox.admin.createPerson("wren"))],
    [
      "one person has come and another gone",
      ({ sandbox }) => {
        sandbox.admin.addMember(sandbox.admin.createPerson("wren"));
        sandbox.admin.removeMember("mark");
      },
    ],
    [
      "one person fewer can read the source",
      ({ sandbox }) => {
        sandbox.admin.setOverwrite("staff-room", "person:olga", { allow: ["ViewChannel"] });
        sandbox.admin.setOwner("sarah");
      },
    ],
    ["the channel of the source is deleted", ({ sandbox }) => sandbox.admin.deleteChannel("staff-room")],
    [
      "the source becomes age-restricted",
      ({ sandbox }) => sandbox.admin.updateChannel("staff-room", { nsfw: true } as never),
    ],
  ])("is void when %s", async (_, change) => {
    const all = await arrive();
    await all.read();
    expect(await all.tell()).toBe("confirmation_needed");
    await change(all);
    await all.settle();
    expect(await all.confirm()).toMatch(/^(forbidden|not_found|unavailable)$/);
    expect(all.said("general")).toEqual([]);
  });

  it("holds while nothing of that has changed", async () => {
    const all = await arrive();
    await all.read();
    await all.tell();
    all.sandbox.as("mark").say("general", "still waiting");
    all.sandbox.admin.setRoles("sarah", ["crew"]);
    await all.settle();
    // Another role makes Sarah no other person.
    expect(await all.confirm()).toBe("done");
  });
});

describe("nobody is asked whether to tell", () => {
  const tellFirst = async (given: Given, prepare: (all: Arrived) => unknown, key?: string) => {
    const all = await arrive(given);
    await all.read();
    await prepare(all);
    const outcome = await all.tell(key);
    return { ...all, outcome };
  };

  it.each<[string, Given, (all: Arrived) => unknown, string?]>([
    ["what the operator lets out of nowhere", { neverFrom: ["staff-room"] }, () => {}],
    ["what a client has read that acts for several people under one label", { grant: { confined: true } }, () => {}],
    [
      "what comes from an age-restricted channel",
      {},
      async ({ sandbox, settle }) => {
        sandbox.admin.updateChannel("staff-room", { nsfw: true } as never);
        await settle();
      },
    ],
    [
      "what was edited since it was read",
      {},
      async ({ sandbox, source, settle }) => {
        sandbox.as("mei").edit(source, "the berth opens on monday at noon, I hope");
        await settle();
      },
    ],
    ["something in an announcement channel", {}, () => {}, "news"],
    [
      "which servers the person is in",
      {},
      async ({ sandbox, call, settle, edge }) => {
        const other = sandbox.admin.createGuild("Elsewhere", "mei");
        sandbox.admin.addMember("earshot", other.id);
        await settle();
        await edge.find("guild", ({ guildId }) => guildId === other.id);
        await call("discord.guilds", {});
      },
    ],
  ])("%s", async (_, given, prepare, key) => {
    const { outcome, asked, said } = await tellFirst(given, prepare, key);
    expect(outcome).toBe("forbidden");
    expect([asked, said(key ?? "general")]).toEqual([[], []]);
  });

  it("what was read for others first: an answer that has become private", async () => {
    const { open, within, operations, asked } = await arrive();
    const operation = await open("mei", "staff-room");
    const { read, tell } = within(operation);
    await read();
    operations.narrow(operation);
    expect(await tell()).toBe("forbidden");
    expect(asked).toEqual([]);
  });

  it("what is too long for one message", async () => {
    const { read, tell, asked } = await arrive();
    await read();
    expect(await tell("general", "berth ".repeat(400))).toBe("forbidden");
    expect(asked).toEqual([]);
  });

  it("anything where the person may not speak themselves", async () => {
    const { read, tell, sandbox, settle, asked } = await arrive();
    await read();
    sandbox.admin.setOverwrite("general", "staff", { deny: ["SendMessages"] });
    await settle();
    expect(await tell()).toBe("forbidden");
    expect(asked).toEqual([]);
  });
});

describe("of the person's own direct messages", () => {
  /** Mei asks there, and her agent has read them. */
  const readDm = async (say: (all: Arrived, dm: ChannelId) => unknown) => {
    const all = await arrive();
    const dm = await all.edge.discord.openDm(all.mei);
    await say(all, dm);
    await all.settle();
    const operation = await all.open("mei", dm, {}, { isPrivate: true });
    const { call, tell } = all.within(operation);
    await call("discord.channel.messages", { channel_id: dm });
    return { ...all, dm, tell };
  };

  it("what they typed is theirs to tell", async () => {
    const { dm, tell, confirm, asked, said } = await readDm(({ sandbox }) => {
      sandbox.as("mei").dm("my boat is called Tern");
    });
    expect(await tell("general", "my boat is called Tern")).toBe("confirmation_needed");
    const action = asked[0]?.action as SendAction | undefined;
    // To Olga, Sarah and Mark.
    expect(action?.disclosure?.barred).toEqual([{ channelId: dm, isQuoted: true, learners: 3 }]);
    expect(await confirm()).toBe("done");
    expect(said("general")).toHaveLength(1);
  });

  it.each<[string, (all: Arrived, dm: ChannelId) => unknown]>([
    [
      "what the bot has answered",
      async ({ edge }, dm) =>
        edge.discord.send(dm, { text: "the safe is behind the chart", mentions: [] }, { recheck() {} }),
    ],
    ["what they forwarded", ({ sandbox, source }, dm) => sandbox.as("mei").forward(source, dm)],
  ])("%s is not", async (_, say) => {
    const { tell, asked } = await readDm(say);
    expect(await tell("general", "it is behind the chart")).toBe("forbidden");
    expect(asked).toEqual([]);
  });
});
