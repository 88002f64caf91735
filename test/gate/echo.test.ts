import { describe, expect, it } from "vitest";
import { openSystem } from "../attack/open-system.ts";
import { NOW } from "../support/plain-discord.ts";
import { BOT, MASK, type PlainMessage, type PlainWorld } from "../support/plain-world.ts";
import { ADA, BO, CEM, PLACE, smallWorld } from "../support/small-world.ts";

const EPOCH = 1_420_070_400_000;
const idAt = (minutesAgo: number) => String(BigInt(NOW - minutesAgo * 60_000 - EPOCH) << 22n);
const spoken = (
  minutesAgo: number,
  authorId: string,
  content: string,
  replyTo: string | null = null,
): PlainMessage => ({
  ...{ id: idAt(minutesAgo), authorId, content, edited: false, replyTo, file: false },
});

/** A world in which nothing was said but this, in a channel for all. */
function worldOf(...messages: PlainMessage[]): PlainWorld {
  const world = smallWorld();
  for (const id of world.messages.keys()) world.messages.set(id, id === PLACE.general ? messages : []);
  return world;
}

async function hear(world: PlainWorld, tool: string, args: object, actor = BO) {
  const { open, call } = openSystem({}, world);
  const outcome = await call(await open(actor, PLACE.general), tool, args);
  if (!outcome.ok) throw new Error(outcome.message);
  const { hits, messages } = outcome.value as {
    hits?: { message: { content: string } }[];
    messages?: { content: string }[];
  };
  return hits?.map(({ message }) => message.content) ?? messages?.map(({ content }) => content) ?? [];
}

describe("an exchange with the agent", () => {
  it("is no evidence where nobody has answered yet", async () => {
    const asked = spoken(30, ADA, `<@${BOT}> when is the regatta?`);
    const world = worldOf(asked, spoken(20, CEM, "the regatta is on Sunday"));
    for (const [tool, args] of [
      ["search_messages", { query: "regatta" }],
      ["discord.search.window", { query: "regatta" }],
      ["get_recent_messages", { include_own: false }],
    ] as const)
      expect(await hear(world, tool, args)).toEqual(["the regatta is on Sunday"]);
    expect(await hear(world, "get_recent_messages", {})).toHaveLength(2);
  });

  it("has in all its parts an answer of the agent's that a program sent in several messages", async () => {
    const asked = spoken(30, ADA, `<@${BOT}> tell me everything about the regatta`);
    const { open, call, world } = openSystem({}, worldOf(asked));
    const operation = await open(ADA, PLACE.general, {}, { messageId: asked.id as never });
    const text = Array.from({ length: 60 }, (_, index) => `The regatta has a buoy, and it has number ${index}.`).join(
      "\n",
    );
    const sent = await call(operation, "discord.send", { channel_id: PLACE.general, text, reply_to: asked.id });
    expect(sent).toMatchObject({ ok: true, value: { message_ids: { length: 2 } } });
    const parts = world.messages.get(PLACE.general)?.filter(({ authorId }) => authorId === BOT) ?? [];
    expect(parts.map(({ replyTo }) => replyTo)).toEqual([asked.id, asked.id]);
    const found = await call(await open(BO, PLACE.general), "search_messages", { query: "regatta buoy" });
    expect(found).toMatchObject({ ok: true, value: { hits: [] } });
  });

  it("counts where the agent's own messages are asked for, or those that mention it", async () => {
    const asked = spoken(30, ADA, `<@${BOT}> when is the regatta?`);
    const world = worldOf(asked, spoken(29, BOT, "The regatta is on Sunday.", asked.id));
    expect(await hear(world, "search_messages", { query: "regatta" })).toEqual([]);
    expect(await hear(world, "search_user_messages", { user_name: BOT })).toEqual(["The regatta is on Sunday."]);
    expect(await hear(world, "search_messages", { query: `regatta mentions:${BOT}` })).toEqual([asked.content]);
  });

  it("is told beside what somebody replied to its question", async () => {
    const asked = spoken(30, ADA, `<@${BOT}> when does the chess evening begin?`);
    const world = worldOf(asked, spoken(29, BOT, "I found nothing.", asked.id), spoken(28, CEM, "at ten", asked.id));
    const { open, call } = openSystem({}, world);
    const found = await call(await open(BO, PLACE.general), "search_messages", { query: "chess evening" }, true);
    expect(found).toMatchObject({
      ok: true,
      value: {
        hits: [
          { message: { content: "at ten" }, words_in_message: "none", question: { message_id: asked.id }, around: [] },
        ],
      },
    });
    expect(found.ok && found.text).toMatch(/chess evening begin\?[\s\S]*at ten/);
  });
});

describe("in a channel whose history not everybody there can read", () => {
  const withheld = (world: PlainWorld): PlainWorld => {
    const general = world.guilds[0]?.channels.find(({ id }) => id === PLACE.general);
    general?.overwrites.push({ id: CEM, type: 1, allow: 0n, deny: MASK.read });
    return world;
  };
  const reads = [
    ["get_recent_messages", { include_own: false }],
    ["discord.search.window", { query: "tide" }],
  ] as const;

  it("what was said earlier does not decide what is a question to the agent", async () => {
    // Whether the message that it replies to is the bot's is known to those alone who can read it.
    for (const author of [BOT, ADA])
      for (const [tool, args] of reads) {
        const old = spoken(60, author, "I am here now.");
        const world = withheld(
          worldOf(old, spoken(2, ADA, "where is the tide?", old.id), spoken(1, BO, "the live tide")),
        );
        expect([author, await hear(world, tool, args)]).toEqual([author, ["the live tide", "where is the tide?"]]);
      }
  });

  it("the agent's answer is left out though its question may not be read", async () => {
    const asked = spoken(60, ADA, `<@${BOT}> when is the tide?`);
    const world = withheld(
      worldOf(asked, spoken(2, BOT, "The tide is at ten.", asked.id), spoken(1, BO, "the live tide")),
    );
    for (const [tool, args] of reads) expect(await hear(world, tool, args)).toEqual(["the live tide"]);
  });
});
