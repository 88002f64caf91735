import { describe, expect, it } from "vitest";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { describeDispatch, describeMember } from "../support/describe-world.ts";
import { type InProcess, type InProcessOptions, openInProcess } from "../support/in-process.ts";
import { MASK, type PlainWorld } from "../support/plain-world.ts";
import { canary, messageId } from "../support/random-community.ts";
import { ADA, BO, CEM, GUILD, PLACE, smallWorld } from "../support/small-world.ts";

interface Asking {
  readonly as: string;
  readonly in?: string;
  readonly isPrivate?: boolean;
  readonly messageId?: string;
}

const client = { name: "test", grant: OPERATOR_GRANT };

async function openFor(test: InProcess, { as, in: channelId, isPrivate = false, messageId: asked }: Asking) {
  const request = { actor: as, isPrivate, ...(channelId && { channelId }), ...(asked && { messageId: asked }) };
  return test.operations.open(client, request as never);
}

/** The code of what came of it, and what was given. */
async function call(
  test: InProcess,
  asking: Asking,
  name: string,
  args: object,
): Promise<{ code: string; value: unknown }> {
  try {
    const operation = await openFor(test, asking);
    return { code: "ok", value: (await test.gate.callTool({ name, args, operation })).value };
  } catch (error) {
    return { code: (error as { code: string }).code, value: (error as Error).message };
  }
}

async function within(run: (test: InProcess) => Promise<void>, world = smallWorld(), options: InProcessOptions = {}) {
  const test = openInProcess(world, options);
  try {
    await run(test);
  } finally {
    await test.close();
  }
}

describe("ids of channels that an actor cannot read", () => {
  const absent = (count: number) => `77000${count}`;

  /** A world in which the ids exist and are hidden from Cem, or in which they do not exist. */
  function worldOf(isThere: boolean, count: number): PlainWorld {
    const world = smallWorld();
    const [guild] = world.guilds;
    const staff = guild?.channels.find(({ id }) => id === PLACE.staff);
    for (let n = 0; isThere && staff && n < count; n += 1)
      guild?.channels.push({ ...staff, id: absent(n), name: canary.name(absent(n)) });
    return world;
  }

  it("cost the same lookups whether the channels are hidden or absent, however many are requested", async () => {
    const codes: string[][] = [];
    for (const isThere of [true, false])
      await within(
        async (test) => {
          const answers: string[] = [];
          for (let n = 0; n < 150; n += 1) {
            const ids = n % 3 === 2 ? PLACE.general : absent(n % 150);
            answers.push(
              (await call(test, { as: CEM, in: PLACE.general }, "discord.channel.info", { channel_id: ids })).code,
            );
          }
          codes.push(answers);
        },
        worldOf(isThere, 150),
        { rules: { limits: { callsPerMinute: { actor: 10_000 } } } },
      );
    expect(codes[0]).toEqual(codes[1]);
    expect(new Set(codes[0])).toEqual(new Set(["not_found", "ok", "rate_limited"]));
  });

  it("are limited by the actor's own budget, and readable channels are served beyond it", () =>
    within(
      async (test) => {
        const info = async (as: string, channel_id: string) =>
          (await call(test, { as, in: PLACE.general }, "discord.channel.info", { channel_id })).code;
        for (let n = 0; n < 200; n += 1) await info(CEM, absent(n));
        expect(await info(CEM, absent(999))).toBe("rate_limited");
        expect(await info(CEM, PLACE.staff)).toBe("rate_limited");
        expect(await info(CEM, PLACE.general)).toBe("ok");
        expect(await info(BO, absent(999))).toBe("not_found");
        test.clock.ahead += 60_000;
        expect(await info(CEM, absent(999))).toBe("not_found");
      },
      smallWorld(),
      { rules: { limits: { callsPerMinute: { actor: 10_000 } } } },
    ));

  it("cost the same lookups when an operation is opened for them", async () => {
    const codes: string[][] = [];
    for (const isThere of [true, false])
      await within(
        async (test) => {
          const answers: string[] = [];
          for (let n = 0; n < 150; n += 1)
            answers.push(
              await openFor(test, { as: CEM, in: absent(n) }).then(
                () => "ok",
                ({ code }) => code,
              ),
            );
          codes.push(answers);
        },
        worldOf(isThere, 150),
      );
    expect(codes[0]).toEqual(codes[1]);
    expect(new Set(codes[0])).toEqual(new Set(["not_found", "rate_limited"]));
  });
});

describe("rules for roles", () => {
  const onlyOwn = {
    roles: [{ guild: GUILD, role: "everyone", scopes: ["context:read_user_recent_self", "directory:read"] }],
  };
  const askers: Asking[] = [
    { as: ADA, in: PLACE.general },
    { as: ADA, in: PLACE.general, isPrivate: true },
    { as: ADA, in: PLACE.letters },
    { as: ADA, isPrivate: true },
  ];

  it.each(askers)("apply to the server that is read, for any kind of request: %o", (asking) =>
    within(
      async (test) => {
        const others = await call(test, asking, "search_user_messages", { user_name: BO });
        // What was said in direct messages, no server has rules for.
        const isByLetter = asking.in === PLACE.letters;
        expect(others.code).toBe(isByLetter ? "ok" : "forbidden");
        expect(JSON.stringify(others)).not.toContain(canary.text(PLACE.general));
        const own = await call(test, asking, "search_user_messages", { user_name: "me" });
        expect(own.code).toBe("ok");
        const { hits } = own.value as { hits: { message: { author: { id: string } }; around: unknown[] }[] };
        expect(hits.length).toBeGreaterThan(0);
        for (const { message, around } of hits) {
          expect(message.author.id).toBe(ADA);
          if (!isByLetter) expect(around).toEqual([]);
          expect(JSON.stringify(around)).not.toContain(canary.text(PLACE.general));
        }
        for (const [name, args] of [
          ["search_messages", { query: "tide" }],
          ["search_messages", { query: `tide from:${BO}` }],
          ["discord.channel.messages", { channel_id: PLACE.general }],
          ["get_recent_messages", { channel: PLACE.general }],
        ] as const)
          expect(JSON.stringify(await call(test, asking, name, args))).not.toContain(canary.text(PLACE.general));
      },
      smallWorld(),
      { rules: onlyOwn },
    ),
  );

  it("of one server do not apply in another", () => {
    const world = smallWorld();
    const [first] = structuredClone(world.guilds);
    if (!first) throw new Error("there is one");
    const twin = "1001";
    const rename = (id: string) => (id === GUILD ? twin : `8${id}`);
    world.guilds.push({
      ...first,
      id: twin,
      name: canary.guild(twin),
      roles: first.roles.map((role) => ({ ...role, id: rename(role.id) })),
      members: first.members.map((member) => ({ ...member, roles: [] })),
      channels: first.channels.slice(0, 1).map((channel) => ({ ...channel, id: rename(channel.id), overwrites: [] })),
      threads: [],
    });
    world.messages.set(`8${PLACE.general}`, [
      { id: messageId(90), authorId: BO, content: "tide over there", edited: false, replyTo: null, file: false },
    ]);
    return within(
      async (test) => {
        const asking = { as: ADA, in: PLACE.general, isPrivate: true };
        const found = await call(test, asking, "search_messages", { query: "tide" });
        expect(JSON.stringify(found.value)).toContain("tide over there");
        expect(JSON.stringify(found.value)).not.toContain(canary.text(PLACE.general));
        expect(await call(test, { as: ADA, in: PLACE.general }, "search_messages", { query: "tide" })).toMatchObject({
          code: "forbidden",
        });
      },
      world,
      { rules: onlyOwn },
    );
  });
});

describe("the effect of an actor's roles", () => {
  it("is the same whether or not they recently wrote in a hidden channel", async () => {
    const codes: string[] = [];
    const rules = { roles: [{ guild: GUILD, role: "everyone", scopes: [] }] };
    for (const isHeard of [true, false])
      await within(
        async (test) => {
          const operation = await openFor(test, { as: ADA, in: PLACE.general, isPrivate: true });
          test.clock.ahead += 40_000;
          const [guild = null] = test.world.guilds;
          const [message] = test.world.messages.get(PLACE.staff) ?? [];
          if (isHeard && message) {
            const said = { channelId: PLACE.staff, guild, message };
            test.tell("MESSAGE_CREATE", describeDispatch(test.world, said, { hasMember: true }));
          }
          const info = { name: "discord.channel.info", args: { channel_id: PLACE.general }, operation };
          const code = await test.gate.callTool(info).then(
            () => "ok",
            (error) => error.code,
          );
          codes.push(code);
        },
        smallWorld(),
        { members: "asked", rules },
      );
    expect(codes).toEqual(["forbidden", "forbidden"]);
  });
});

describe("an error that names channels", () => {
  it("counts as a read of these channels", () =>
    within(async (test) => {
      const operation = await openFor(test, { as: ADA, in: PLACE.lounge });
      const search = { name: "search_messages", args: { query: "tide", channel: "nm400" }, operation };
      await expect(test.gate.callTool(search)).rejects.toMatchObject({ code: "invalid" });
      expect([...operation.label.channels.keys()]).toContain(PLACE.staff);
    }));
});

describe("messages of a person who opted out", () => {
  it("do not use up the results of Discord's own search", async () => {
    const found: unknown[] = [];
    for (const word of ["tide", "other"])
      await within(
        async (test) => {
          const older = Array.from({ length: 400 }, (_, index) => ({
            id: messageId(-500 + index),
            authorId: index % 2 ? BO : CEM,
            content: index % 2 ? word : `tide ${index}`,
            edited: false,
            replyTo: null,
            file: false,
          }));
          test.world.messages.set(PLACE.general, [...older, ...(test.world.messages.get(PLACE.general) ?? [])]);
          const asking = { as: ADA, in: PLACE.general };
          found.push((await call(test, asking, "search_messages", { query: "tide", limit: 3, scan: 1 })).value);
        },
        smallWorld(),
        { rules: { optOut: { people: [BO] } } },
      );
    expect(JSON.stringify(found[0])).toContain('"older":"searched"');
    expect(found[0]).toEqual(found[1]);
  });
});

describe("an actor without the permission to act", () => {
  const silence = (test: InProcess, id: string, until: number) => {
    const member = test.world.guilds[0]?.members.find((one) => one.id === id);
    if (!member) throw new Error("they are a member");
    const communication_disabled_until = new Date(until).toISOString();
    test.tell("GUILD_MEMBER_UPDATE", { guild_id: GUILD, ...describeMember(member), communication_disabled_until });
  };
  const say = (test: InProcess, asking: Asking, channel_id: string) =>
    call(test, asking, "discord.send", { channel_id, text: "hello" });

  it("cannot send through the bot while timed out by a moderator, not even as an answer in the channel of the request", () =>
    within(async (test) => {
      silence(test, CEM, test.clock.now() + 60_000);
      const asking = { as: CEM, in: PLACE.general };
      expect(await say(test, asking, PLACE.general)).toMatchObject({ code: "forbidden" });
      expect(await say(test, { as: CEM, isPrivate: true }, PLACE.general)).toMatchObject({ code: "forbidden" });
      const own = { id: messageId(300), authorId: CEM, content: "hello?", edited: false, replyTo: null, file: false };
      test.world.messages.get(PLACE.general)?.push(own);
      const request = { ...asking, messageId: own.id };
      expect(await say(test, request, PLACE.general)).toMatchObject({ code: "forbidden" });
      const read = await call(test, asking, "discord.channel.messages", { channel_id: PLACE.general });
      expect(read.code).toBe("ok");
      expect(test.departures).toEqual([]);
      test.clock.ahead += 60_001;
      for (const one of [asking, request]) expect(await say(test, one, PLACE.general)).toMatchObject({ code: "ok" });
    }));

  it("does not count as timed out if they are the owner or an administrator", () =>
    within(async (test) => {
      silence(test, "3000", test.clock.now() + 60_000);
      expect(await say(test, { as: "3000", in: PLACE.general }, PLACE.general)).toMatchObject({ code: "ok" });
    }));

  it("cannot react through the bot without the permission to react, except to their own messages", () => {
    const world = smallWorld();
    const everyone = world.guilds[0]?.roles[0];
    if (everyone) everyone.permissions &= ~MASK.react;
    const bot = world.guilds[0]?.channels[0]?.overwrites;
    bot?.push({ id: "999", type: 1, allow: MASK.react, deny: 0n });
    return within(async (test) => {
      const [own, other] = test.world.messages.get(PLACE.general) ?? [];
      const asking = { as: ADA, in: PLACE.general, messageId: own?.id ?? "" };
      const react = (message_id: string | undefined) =>
        call(test, asking, "discord.react", { channel_id: PLACE.general, message_id, emoji: "👍" });
      expect(await react(other?.id)).toMatchObject({ code: "forbidden" });
      expect(test.departures).toEqual([]);
      expect(await react(own?.id)).toMatchObject({ code: "ok" });
    }, world);
  });
});
