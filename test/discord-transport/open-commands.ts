import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import type { InteractionRecord, MessageRecord } from "../../sandbox/world/records.ts";
import { toEraser } from "../../src/gate/memory/erase-person.ts";
import { openCommands } from "../../src/transports/discord/commands.ts";
import type { Privacy } from "../../src/transports/kit/privacy.ts";
import { createTestPrivacy } from "../support/consent.ts";
import { until } from "../support/edge.ts";
import { openTestGate, type TestGateOptions } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { buttonId } from "./open-harbour.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** A harbour whose people can ask. The pier is for Sarah, Mei and the bot alone. */
export async function openAskingHarbour({
  privacy,
  ...options
}: TestGateOptions & { readonly privacy?: Privacy } = {}) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  sandbox.admin.setOverwrite("pier", "everyone", { deny: ["ViewChannel"] });
  for (const who of ["person:sarah", "person:mei", "person:earshot"])
    sandbox.admin.setOverwrite("pier", who, { allow: ["ViewChannel"] });
  const test = await openTestGate(sandbox, options);
  const commands = openCommands({
    discord: test.edge.discord,
    gate: test.gate,
    operations: test.operations,
    privacy: privacy ?? createTestPrivacy(test.consent),
    erasePerson: test.erasePerson,
    ownMemory: test.ownMemory,
    sharedMemory: test.sharedMemory,
    mentions: test.mentions,
    consent: test.consent,
    timeZone: "UTC",
    clock: { now: () => Date.now() },
    log: quiet,
    mintId: randomUUID,
  });
  test.erasers.add(toEraser("previews", (person) => commands.drop(person)));
  onTestFinished(() => commands.close());
  await commands.offered;

  const { id } = test;
  const said = (channel: string): MessageRecord[] => [...(sandbox.world.channels.get(id(channel))?.messages ?? [])];
  const saidByBot = (channel: string) => said(channel).filter(({ authorId }) => authorId === test.edge.discord.botId);
  /** What somebody is answered, in the end. */
  const answer = async (asking: InteractionRecord): Promise<MessageRecord> => {
    const isThere = () => [...asking.ephemeral.values()].find(({ content }) => content !== "" && !isProgress(content));
    const message = await until(isThere, "no answer");
    if (message.more?.ephemeralFor !== asking.userId) throw new Error("everybody was told");
    return message;
  };
  const find = (who: string, query: string, more: Readonly<Record<string, string>> = {}, channel = "general") =>
    answer(sandbox.as(who).run("find", { query, ...more }, { in: channel }));
  /** Presses a button under an answer, and has what that is answered with. */
  const press = (who: string, message: MessageRecord, label: string) =>
    answer(sandbox.as(who).click(message, buttonId(message, label)));
  return { ...test, commands, said, saidByBot, answer, find, press };
}

function isProgress(content: string): boolean {
  return content.startsWith("Looked at");
}
