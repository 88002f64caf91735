import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type BareDiscord, openBareDiscord } from "../support/bare-discord.ts";
import { until } from "../support/edge.ts";
import { type RunningCommand, runCommand, startCommand } from "../support/program.ts";
import { readRequiredFields } from "../support/required-fields.ts";
import { smallCommunity } from "../support/small-community.ts";

const POSTS = [
  { minutesAgo: 30, in: "general", by: "sarah", text: "the loggerhead is in the harbour" },
  { minutesAgo: 20, in: "general", by: "mark", text: "which harbour?" },
  { minutesAgo: 10, in: "news", by: "olga", text: "the loggerhead has left" },
];

interface Started extends BareDiscord {
  readonly start: RunningCommand;
  run(...args: string[]): ReturnType<typeof runCommand>;
  watch(channelId: string): Promise<RunningCommand>;
  id(key: string): string;
}

/** Earshot itself on a server that tells only what it must. */
async function startEarshot(keep: Parameters<typeof openBareDiscord>[0], more: object = {}): Promise<Started> {
  const bare = await openBareDiscord(keep, { community: smallCommunity(POSTS), rateLimits: false });
  if (!bare) throw new Error("the OpenAPI file is there");
  const folder = await mkdtemp(join(tmpdir(), "earshot-bare-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const address = { EARSHOT_DISCORD_TOKEN: bare.sandbox.token, EARSHOT_DISCORD_API: bare.api };
  const env = { ...address, EARSHOT_PORT: "0", ...more };
  const start = startCommand(["start"], env, folder);
  await start.prints("Stop with Ctrl-C");
  return {
    ...bare,
    start,
    run: (...args) => runCommand(args, env, folder),
    async watch(channelId) {
      const tail = startCommand(["tail", "--in", channelId], env, folder);
      await tail.prints("Listening in");
      return tail;
    },
    id: (key) => bare.sandbox.community.channels.get(key) ?? bare.sandbox.as(key).id,
  };
}

const hasFile = readRequiredFields() !== undefined;

describe.skipIf(!hasFile)("a server that sends only required fields (skipped without Discord's OpenAPI file)", () => {
  it.each([
    ["it says who may read a channel", (field: string) => field === "permission_overwrites", {}],
    ["the operator says what it means to say nothing", () => false, { EARSHOT_OMITS_OVERWRITES: "true" }],
  ])("serves for doctor, search, send and tail where %s", async (_, keep, more) => {
    const earshot = await startEarshot(keep, more);
    const { sandbox, run, id } = earshot;
    const doctor = await run("doctor");
    expect(doctor.out).toContain("✓ server Quay: reads 4 of the 4 channels that the bot sees;");
    expect(doctor.code).toBe(0);

    const asSarah = ["--as", id("sarah"), "--in", id("general")];
    const search = await run("call", "search_messages", ...asSarah, "query=loggerhead", "--text");
    expect(search.out).toContain("the loggerhead is in the harbour");

    const tail = await earshot.watch(id("general"));
    sandbox.as("mark").say("general", "a new message");
    await tail.prints("mark: a new message");

    const sent = await run("call", "discord.send", ...asSarah, "text=noted");
    expect(sent.err).toBe("");
    const general = sandbox.world.channels.get(id("general"));
    await until(() => general?.messages.newest?.content === "noted", "the message was not sent");
  });

  it("is not read where it does not say who may: nothing is guessed to be open", async () => {
    const earshot = await startEarshot(() => false);
    const { sandbox, run, id } = earshot;
    const doctor = await run("doctor");
    expect(doctor.code).toBe(1);
    expect(doctor.out).toContain("! server Quay: of 4 channels it is not known who may read them");
    expect(doctor.out).toContain("✗ server Quay: nothing can be read");
    const asSarah = ["--as", id("sarah"), "--in", id("general")];
    const search = await run("call", "search_messages", ...asSarah, "query=loggerhead", "--text");
    expect(search.out + search.err).not.toContain("the loggerhead is");
    expect(search.code).toBe(1);
    const sent = await run("call", "discord.send", ...asSarah, "text=noted");
    expect(sent.code).toBe(1);
    expect(sandbox.world.channels.get(id("general"))?.messages.newest?.content).toBe("which harbour?");
    const dm = sandbox.world.channels.get(sandbox.as("sarah").dm("hello").channelId);
    await until(() => dm?.messages.newest?.authorId === id("earshot"), "the agent did not answer in the DM");
  });

  it("is read in the channels of which it says who may, and only in these", async () => {
    const earshot = await startEarshot((field, owner) => field === "permission_overwrites" && owner["name"] !== "news");
    const { run, id } = earshot;
    const doctor = await run("doctor");
    expect(doctor.out).toContain("reads 3 of the 4 channels that the bot sees");
    expect(doctor.out).toContain("! server Quay: of 1 channel it is not known who may read it (#news)");
    const search = await run(
      "call",
      "search_messages",
      "--as",
      id("sarah"),
      "--in",
      id("general"),
      "query=loggerhead",
      "--text",
    );
    expect(search.out).toContain("the loggerhead is in the harbour");
    expect(search.out).not.toContain("has left");
  });
});
