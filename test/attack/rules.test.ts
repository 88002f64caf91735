import { describe, expect, it } from "vitest";
import { ADA, BO, CEM, GUILD, PLACE } from "../support/small-world.ts";
import { openSystem } from "./open-system.ts";

const OWN_ONLY = { roles: [{ guild: GUILD, role: "everyone", scopes: ["context:read_user_recent_self"] }] };

describe("with a rule that allows only the actor's own messages,", () => {
  it("messages of others nearby do not affect which messages are found", async () => {
    const found = async (others: string) => {
      const { open, call, say } = openSystem({ rules: OWN_ONLY });
      say(PLACE.general, BO, others);
      say(PLACE.general, CEM, "oh no");
      const operation = await open(CEM, PLACE.general);
      const { ok, value } = (await call(operation, "search_user_messages", {
        user_name: "me",
        query: "layoffs salary",
      })) as never as { ok: boolean; value: { hits: { message: { content: string } }[] } };
      return ok && value.hits.map(({ message }) => message.content);
    };
    expect(await found("there will be layoffs and a salary cut")).toEqual(await found("nice weather and a good boat"));
  });

  it("the number of messages of others does not show in how far was searched", async () => {
    const coverage = async (others: number) => {
      const { open, call, say } = openSystem({ rules: OWN_ONLY });
      say(PLACE.general, CEM, "the tide is high");
      for (let index = 0; index < others; index += 1) say(PLACE.general, BO, `word ${index}`);
      const operation = await open(CEM, PLACE.general);
      const { value } = (await call(operation, "search_user_messages", {
        user_name: "me",
        query: "tide",
      })) as never as {
        value: { coverage: unknown };
      };
      return (value.coverage as { scanned: number }).scanned;
    };
    expect(await coverage(7)).toEqual(await coverage(2));
  });
});

describe("a person who opted out might as well never have written:", () => {
  const worlds = async (ask: (stage: ReturnType<typeof openSystem>, bo: string) => Promise<unknown>) => {
    const one = async (isThere: boolean) => {
      const stage = openSystem(isThere ? { rules: { optOut: { people: [BO] } } } : {});
      const { world } = stage;
      for (const [id, messages] of world.messages)
        if (!isThere)
          world.messages.set(
            id,
            messages.filter(({ authorId }) => authorId !== BO),
          );
      return ask(stage, "");
    };
    return [await one(true), await one(false)];
  };
  it.each([
    ["get_recent_messages", {}],
    ["discord.channel.messages", { channel_id: PLACE.general, cache: false }],
    ["discord.channel.messages", { channel_id: PLACE.general, cache: false, limit: 1 }],
    ["discord.channel.messages", { channel_id: PLACE.general, limit: 1 }],
    ["search_messages", { query: "tide" }],
    ["get_channel_summary", { timeframe: "past year" }],
    ["context.window", {}],
  ])("%s %o has the same answer in both worlds", async (tool, args) => {
    const [a, b] = await worlds(async ({ open, call }) => call(await open(ADA, PLACE.general), tool, args, true));
    expect(a).toEqual(b);
  });

  it("reacting to their message fails as for a message that does not exist", async () => {
    const { open, call, world } = openSystem({ rules: { optOut: { people: [BO] } } });
    const his = world.messages.get(PLACE.general)?.[1];
    const operation = await open(ADA, PLACE.general);
    const outcome = (id: string) =>
      call(operation, "discord.react", { channel_id: PLACE.general, message_id: id, emoji: "👍" });
    expect(await outcome(his?.id ?? "")).toEqual(await outcome("1234567890123456789"));
  });
});
