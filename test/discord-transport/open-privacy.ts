import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import type { InteractionRecord, MessageRecord } from "../../sandbox/world/records.ts";
import { createEarshot } from "../../src/index.ts";
import { until } from "../support/edge.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { databaseConfig } from "../support/test-database.ts";

/** The whole program on a sandbox whose people can use its commands. */
export async function openProgram(configure: (sandbox: Sandbox) => object = () => ({})) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const folder = await mkdtemp(join(tmpdir(), "earshot-"));
  const [application] = sandbox.world.applications.values();
  const discord = { token: sandbox.token, api: sandbox.api, clientSecret: application?.clientSecret };
  const kept = await databaseConfig(folder);
  const open = async () => {
    const earshot = await createEarshot({ config: { ...kept, ...configure(sandbox), discord, dataDir: folder } });
    await until(() => commandsOf().includes("memory"), "the commands were not registered");
    return earshot;
  };
  const commandsOf = () =>
    [...sandbox.world.applications.values()].flatMap(({ commands }) => [...commands.values()].map(({ name }) => name));
  let earshot = await open();
  onTestFinished(async () => {
    await earshot.close();
    await rm(folder, { recursive: true });
  });
  const answer = async (asking: InteractionRecord): Promise<MessageRecord> => {
    const isThere = () => [...asking.ephemeral.values()].find(({ content }) => content !== "");
    const message = await until(isThere, "no answer");
    if (message.more?.ephemeralFor !== asking.userId) throw new Error("everybody was told");
    return message;
  };
  return {
    sandbox,
    url: () => earshot.url,
    folder,
    answer,
    /** What somebody is answered to one of the subcommands. */
    privacy: async (who: string, what: string, channel = "general") =>
      (await answer(sandbox.as(who).run(`privacy ${what}`, {}, { in: channel }))).content,
    find: async (who: string, query: string) =>
      (await answer(sandbox.as(who).run("find", { query }, { in: "general" }))).content,
    async restart() {
      await earshot.close();
      earshot = await open();
    },
  };
}
