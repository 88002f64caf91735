import { describe, expect, it } from "vitest";
import { AGENT } from "../../src/agent/agent-grant.ts";
import { EarshotError } from "../../src/domain/errors.ts";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { typedText } from "../../src/domain/message.ts";
import { openTestGate } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function arrive() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const test = await openTestGate(sandbox);
  const { discord } = test.edge;
  const { id } = sandbox.as("sarah").say("general", `<@${discord.botId}> where?`);
  const { message } = await test.edge.find("message", (event) => event.message.message_id === id);
  const operation = test.operations.openFor(AGENT, message);
  const channel = (key: string) => sandbox.community.channels.get(key) as ChannelId;
  const [posted] = await test.answers.post(operation, {
    question: id,
    channelId: channel("general"),
    text: "One moment.",
    replyTo: message.message_id,
  });
  if (!posted) throw new Error("nothing was posted");
  const answer = { channelId: channel("general"), messageId: posted.message_id };
  const shown = async () => {
    const now = await discord.message(answer.channelId, answer.messageId);
    return now && typedText(now);
  };
  return { ...test, discord, operation, message, channel, answer, shown };
}

describe("an edit of the agent's own answer", () => {
  it("takes the place of the answer, and the audit has a hash of what it says", async () => {
    const { answers, operation, answer, shown, audited } = await arrive();
    await answers.edit(operation, answer, { text: "At the pier." });
    expect(await shown()).toBe("At the pier.");
    const events = audited.filter(({ kind }) => kind === "event").map(({ row }) => row as { name: string });
    const done = events.find(({ name }) => name === "edit_done");
    expect(done).toMatchObject({ detail_json: expect.stringContaining('"bytes_hash"') });
    expect(JSON.stringify(audited)).not.toContain("At the pier.");
  });

  it("says when the message is gone, and when Discord does not say what became of it", async () => {
    const { sandbox, answers, operation, answer, shown } = await arrive();
    sandbox.faults.garbleRest({ match: /^PATCH/u, as: "null", times: 1 });
    const edited = answers.edit(operation, answer, { text: "At the pier." });
    await expect(edited).rejects.toMatchObject({ code: "outcome_unknown" });
    expect(await shown()).toBe("At the pier.");
    expect(await answers.edit(operation, answer, { text: "At the pier." })).toBe(true);
    sandbox.as("mei").delete(answer.messageId);
    expect(await answers.edit(operation, answer, { text: "Still there?" })).toBe(false);
  });

  it("does not leave once it was called off", async () => {
    const { answers, operation, answer, shown } = await arrive();
    const onLeave = () => {
      throw new EarshotError("cancelled", "Called off.");
    };
    const edited = answers.edit(operation, answer, { text: "At the pier." }, { onLeave });
    await expect(edited).rejects.toMatchObject({ code: "cancelled" });
    expect(await shown()).toBe("One moment.");
  });

  it("is refused, and changes nothing, once what was read is not for everyone there", async () => {
    const { sandbox, answers, gate, operation, answer, shown, discord, channel } = await arrive();
    sandbox.as("mark").say("pier", "the keys are under the mat");
    await gate.callTool({ name: "discord.channel.messages", args: { channel_id: channel("pier") }, operation });
    sandbox.admin.setOverwrite("pier", "everyone", { deny: ["ViewChannel"] });
    sandbox.admin.setOverwrite("pier", "person:earshot", { allow: ["ViewChannel"] });
    const mark = sandbox.community.people.get("mark") as UserId;
    await expect.poll(() => discord.directory.canView(mark, channel("pier"))).toBe(false);
    const edited = answers.edit(operation, answer, { text: "under the mat" });
    await expect(edited).rejects.toMatchObject({ code: expect.stringMatching(/^(forbidden|unavailable)$/) });
    expect(await shown()).toBe("One moment.");
  });

  it("is not possible in another channel than the answer's, nor for a client that may not send", async () => {
    const { answers, operations, operation, message, channel, answer, shown } = await arrive();
    const elsewhere = answers.edit(operation, { ...answer, channelId: channel("pier") }, { text: "here" });
    await expect(elsewhere).rejects.toMatchObject({ code: "forbidden" });
    const mute = { ...AGENT, grant: { ...AGENT.grant, scopes: [] } };
    const other = operations.openFor(mute, message);
    await expect(answers.edit(other, answer, { text: "here" })).rejects.toMatchObject({ code: "forbidden" });
    expect(await shown()).toBe("One moment.");
  });
});
