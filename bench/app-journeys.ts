import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openSandbox, sampleCommunity } from "../sandbox/index.ts";
import type { InteractionRecord, MessageRecord } from "../sandbox/world/records.ts";
import { openApp } from "../src/app/app.ts";
import { connectEarshot } from "../src/client/index.ts";
import { toConfig } from "../src/config/config.ts";
import type { GuildId } from "../src/domain/ids.ts";
import { hashToken } from "../src/policy/authenticate.ts";
import { OPERATOR_GRANT, SCOPES } from "../src/policy/grant.ts";
import { takeCoverage } from "./coverage.ts";

interface Journey {
  readonly what: string;
  readonly goal: string;
  readonly counts: Record<string, string[]>;
}

const TOKEN = "bench";
const PAUSE_MS = 10;
/** What a step leaves behind has come to rest. */
const QUIET_MS = 400;
/** What runs while nobody does anything, such as reading ahead, is no part of a step. */
const IDLE_MS = 6_000;
/** The last one is measured, when everything is warm. Somebody may tell knowingly three times an hour. */
const ROUNDS = 3;
const log = { debug() {}, info() {}, warn() {}, error() {} };

/** What people and their programs do, step by step, in the whole program on the sandbox. The code of the client itself is not counted. */
export async function* measureJourneys(): AsyncGenerator<Journey> {
  const sandbox = await openSandbox({ community: sampleCommunity(), rateLimits: false });
  const dataDir = mkdtempSync(join(tmpdir(), "earshot-journeys-"));
  const plenty = { actor: 1e9 };
  const limits = { callsPerMinute: plenty, scansPerMinute: plenty, summariesPerHour: plenty };
  const grant = { ...OPERATOR_GRANT, scopes: [...SCOPES] };
  const config = toConfig({
    ...{ discord: { api: sandbox.api, token: sandbox.token }, dataDir, server: { port: 0 } },
    clients: [{ name: "bench", tokenSha256: hashToken(TOKEN), grant }],
    policy: { limits, memory: { people: "shared" }, disclosure: { guilds: [sandbox.community.guild.id as GuildId] } },
  });
  const app = await openApp(config, log);
  await app.loadRest();
  const client = await connectEarshot({ url: `${app.url.replace("http", "ws")}/rpc`, token: TOKEN });
  const sarah = sandbox.as("sarah");
  const grace = sandbox.as("grace");
  const id = (channel: string) => sandbox.community.channels.get(channel) ?? channel;
  const everything = () => [...sandbox.world.channels.values()].flatMap(({ messages }) => [...messages]);
  const call = (method: string, args: object, operationId: string) => client.request(method, args, { operationId });
  const waits = (method: string, args: object, operation: string) =>
    call(method, args, operation).then(
      () => Promise.reject(new Error(`${method} did not wait`)),
      ({ code }: { code: string }) => {
        if (code !== "confirmation_needed") throw new Error(`${method}: ${code}`);
      },
    );
  const open = async (person: string, more: object) => {
    const { value } = await client.request("operation.open", { actor: person, ...more });
    return (value as { operation_id: string }).operation_id;
  };
  await takeCoverage();
  await sleep(IDLE_MS);
  const idle = await takeCoverage();
  const measured: Journey[] = [];
  const measure = async <Result>(what: string, goal: string, step: () => Promise<Result>): Promise<Result> => {
    await sleep(QUIET_MS);
    await takeCoverage();
    const result = await step();
    await sleep(QUIET_MS);
    const counts = Object.entries(await takeCoverage())
      .filter(([file]) => !file.startsWith("client/"))
      .map(([file, names]) => [file, names.filter((name) => !idle[file]?.includes(name))]);
    measured.push({ what, goal, counts: Object.fromEntries(counts) });
    return result;
  };
  const reviewOf = (person: typeof sarah, at: MessageRecord) => shown(person.click(at, button(at, "Review")));

  for (let round = 0; round < ROUNDS; round += 1) {
    measured.length = 0;
    const private_ = { channel_id: id("general"), private: true };
    const remembering = await open(sarah.id, { channel_id: id("general") });
    await call("discord.channel.messages", { channel_id: id("general") }, remembering);
    const fact = { key: "boat", value: `Heron ${round}` };
    await measure("a fact is proposed", "", () => waits("memory_write.remember_fact", fact, remembering));
    const asked = await until(() => everything().findLast((one) => hasButton(one, "Review")));
    const preview = await measure("Review", "", () => reviewOf(sarah, asked));
    await measure("Remember", "", async () => {
      const click = sarah.click(preview, button(preview, "Remember"));
      await until(() => /^Remembered/.test(preview.content) || [...click.ephemeral.values()].length > 0);
    });
    const listing = await open(sarah.id, { channel_id: id("general"), private: true });
    await measure("get_user_facts", "goal: 70 files", () =>
      call("memory_read.get_user_facts", { user: sarah.id }, listing),
    );
    await measure("/memory forget", "", async () => {
      const { content } = await sarah.run("memory forget", { fact: "boat" }, { in: "general" }).spoken;
      if (!content.startsWith("Forgotten")) throw new Error(content);
    });
    grace.say("staff-room", `berth ${round} opens on monday at noon`);
    const telling = await open(grace.id, private_);
    await measure("telling knowingly: what is read", "", () =>
      call("discord.channel.messages", { channel_id: id("staff-room") }, telling),
    );
    const text = { channel_id: id("general"), text: `berth ${round} opens on monday at noon` };
    await measure("telling knowingly: what is to be sent", "", () => waits("discord.send", text, telling));
    const toldFrom = await until(() => everything().findLast((one) => hasButton(one, "Review")));
    const review = await measure("telling knowingly: Review", "", () => reviewOf(grace, toldFrom));
    await measure("telling knowingly: Send", "goal: 95 files", async () => {
      grace.click(review, sendButton(review));
      await until(() =>
        everything().find(({ content }) => content.includes(`berth ${round}`) && content.startsWith("-#")),
      );
    });
    await measure("a mention answered without a model", "", async () => {
      const question = sarah.say("general", `<@${app.discord.botId}> when is the tideboard deadline? (${round})`);
      await until(() =>
        everything().find((one) => one.more?.reference?.messageId === question.id && one.content !== ""),
      );
    });
  }
  yield* measured;
  await client.close();
  await app.close();
  await sandbox.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function until<Found>(find: () => Found | undefined | false): Promise<Found> {
  for (;;) {
    const found = find();
    if (found) return found;
    await sleep(PAUSE_MS);
  }
}

function shown(click: InteractionRecord): Promise<MessageRecord> {
  return until(() => [...click.ephemeral.values()].find((one) => buttonsOf(one).length > 0));
}

function buttonsOf({ more }: MessageRecord): { readonly label: string; readonly custom_id: string }[] {
  return (more?.components ?? []).flatMap((row) => ("components" in row ? (row.components as never) : []));
}

function hasButton(message: MessageRecord, label: string): boolean {
  return buttonsOf(message).some((one) => one.label === label);
}

function button(message: MessageRecord, label: string): string {
  const found = buttonsOf(message).find((one) => one.label === label);
  if (!found) throw new Error(`no button "${label}" under ${JSON.stringify(message.content)}`);
  return found.custom_id;
}

function sendButton(message: MessageRecord): string {
  const [first] = buttonsOf(message);
  if (!first) throw new Error("no button");
  return first.custom_id;
}
