import { describe, expect, it } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import type { ChannelId } from "../../src/domain/ids.ts";
import { typedText } from "../../src/domain/message.ts";
import { openTestAgent } from "../support/agent.ts";
import { openModelAnswerer } from "../support/model-answerer.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { scriptChat } from "../support/scripted-chat.ts";

type Script = Parameters<typeof scriptChat>[0];

/** An agent whose model does what the script says. */
async function arrive(script: Script) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const model = scriptChat(script);
  const world = await openTestAgent(sandbox, { answerer: openModelAnswerer(model) });
  const { botId } = world.edge.discord;
  const general = sandbox.community.channels.get("general") as ChannelId;
  const source = sandbox.as("mei").say("general", "the zeppelin lands at noon on the old pier");
  const ask = async (text = "when does the zeppelin land?") => {
    const { id } = sandbox.as("sarah").say("general", `<@${botId}> ${text}`);
    return typedText(await world.answerTo(id));
  };
  const said = () =>
    [...sandbox.world.channels.values()].flatMap(({ messages }) =>
      [...messages].filter(({ authorId }) => authorId === botId).map(({ content }) => content),
    );
  const threads = () => [...sandbox.world.channels.values()].filter(({ parentId }) => parentId === general);
  return { ...world, sandbox, model, general, source, ask, said, threads };
}

describe("an agent's model", () => {
  it("posts nothing but its answer where it was asked, whatever it calls and however it names the channel", async () => {
    const threads16 = Array.from({ length: 16 }, (_, count) => [
      "discord_thread_create",
      { channel: count % 2 ? "general" : "#general", name: `zeppelin ${count}`, text: "at noon" },
    ]);
    const sendsTo = (channel: string) =>
      Array.from({ length: 6 }, (_, count) => ["discord_send", { channel, text: `zeppelin ${count}, ${channel}` }]);
    const reactions = [["discord_react", { channel: "general", message_id: "m1", emoji: "👍" }]];
    const calls = [...threads16, ...sendsTo("pier"), ...reactions] as [string, unknown][];
    const { ask, said, threads, model } = await arrive((_, count) => {
      const some = calls.slice((count - 1) * 6, count * 6);
      return { calls: some.length > 0 ? some : (sendsTo("general") as [string, unknown][]) };
    });
    expect(await ask()).toContain("zeppelin 0, general");
    expect(model.requests.length).toBeGreaterThan(4);
    expect(said()).toHaveLength(1);
    expect(threads()).toEqual([]);
  });

  it.each(["id", "general", "#general", "mention", "m1"])(
    "gives its answer when it sends it to where it was asked by %s",
    async (how) => {
      const { ask, said } = await arrive(({ turns }) => {
        const id = /id (\d+)/.exec(turns.map(({ text }) => text).join("\n"))?.[1];
        if (id === undefined) return { calls: [["discord_channel_info", { channel: "general" }]] };
        const channel = how === "id" ? id : how === "mention" ? `<#${id}>` : how;
        return { calls: [["discord_send", { channel, text: "At noon, by zeppelin." }]] };
      });
      expect(await ask()).toContain("At noon, by zeppelin.");
      expect(said()).toHaveLength(1);
    },
  );
});

describe("an answer of the agent's", () => {
  it("that cites nothing goes with anything that was read for it", async () => {
    const { sandbox, ask, said, source } = await arrive(() => "Around midday, I think.");
    expect(await ask()).toContain("Around midday");
    expect(said()).toHaveLength(1);
    sandbox.as("mei").delete(source);
    await expect.poll(said).toEqual([]);
  });

  it("goes with a message of which it repeats eight words in a row, though it cites another, and not with others", async () => {
    const { sandbox, ask, said, source } = await arrive(({ turns }) => {
      const [, handle] = /(m\d+)[^\n]*harbour opens/.exec(turns.map(({ text }) => text).join("\n")) ?? [];
      if (!handle) return { calls: [["search_messages", { query: "harbour opens" }]] };
      return `The Zeppelin *lands* at noon, on the old PIER. [${handle}]`;
    });
    const cited = sandbox.as("mark").say("general", "the harbour opens at nine");
    const other = sandbox.as("mark").say("general", "bring a chair");
    expect(await ask()).toContain("lands");
    sandbox.as("mark").delete(other);
    const second = await ask("and when does the harbour open?");
    expect(second).toContain("lands");
    expect(said()).toHaveLength(2);
    sandbox.as("mei").delete(source);
    await expect.poll(said).toEqual([]);
    expect(cited.content).toContain("nine");
  });

  it("in words of ours rests on nothing, and stays", async () => {
    const { sandbox, ask, said, source } = await arrive(() => {
      throw new EarshotError("unavailable", "It cannot be reached.");
    });
    expect(await ask("which xylophone?")).toContain("cannot be reached");
    sandbox.as("mei").delete(source);
    expect(await ask("which xylophone?")).toContain("cannot be reached");
    expect(said()).toHaveLength(2);
  });
});
