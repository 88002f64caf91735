import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ChannelId, GuildId, UserId } from "../../src/domain/ids.ts";
import { FactWatch } from "../../src/memory/fact-watch.ts";
import { Memory } from "../../src/memory/memory.ts";
import { startForgetting } from "../../src/memory/start-forgetting.ts";
import type { AuditEntry } from "../../src/ports/audit-store.ts";
import { describeGuild } from "../support/describe-world.ts";
import { NOW, PlainDiscord } from "../support/plain-discord.ts";
import { ADA, GUILD, PLACE, smallWorld } from "../support/small-world.ts";
import { VaultFolder } from "../support/vault-folder.ts";

const DAY_MS = 86_400_000;
const SWEEP_MS = 10 * 60_000;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

afterEach(() => {
  vi.useRealTimers();
});

/** A data folder that outlives the program, whose clock and sweeps the test moves. */
async function openFolder() {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const folder = new VaultFolder();
  const clock = { time: NOW, now: () => clock.time };
  const entries: AuditEntry[] = [];
  let program = await openProgram([GUILD]);

  async function openProgram(guilds: readonly string[]) {
    const opened = await folder.open();
    const consent = { isLeftOut: () => false, isMarkLeftOut: () => false };
    const watch = new FactWatch({ clock, consent, keptMs: 1_000 });
    const memory = new Memory({ ...opened, watch, consent, markOf: (id) => id, clock });
    const world = smallWorld();
    const plain = new PlainDiscord(
      { ...world, guilds: world.guilds.filter(({ id }) => guilds.includes(id)) },
      clock,
      {},
    );
    const connection = { isUp: true };
    const stop = startForgetting({
      memory,
      hasMessage: async () => false,
      facts: opened.facts,
      directory: plain.directory,
      isConnected: () => connection.isUp,
      audit: { note: (entry) => void entries.push(entry) },
      listen: (listener) => plain.listen(listener),
      clock,
      log: quiet,
    });
    onTestFinished(stop);
    return { ...opened, memory, plain, connection, stop };
  }

  const settle = async () => {
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    await program.memory.sweep();
  };
  /** Time must not pass while it is being noted. */
  const isNoted = async (isLeft: boolean) => {
    await settle();
    const notes = async () => (await program.facts.guilds()).map(({ leftAt }) => leftAt !== null);
    await expect.poll(notes).not.toContain(!isLeft);
  };
  return {
    program: () => program,
    entries,
    settle,
    async leave() {
      program.plain.tell("GUILD_DELETE", { id: GUILD });
      await isNoted(true);
    },
    async comeBack() {
      const [guild] = smallWorld().guilds;
      if (guild) program.plain.tell("GUILD_CREATE", describeGuild(guild, "listed"));
      await isNoted(false);
    },
    /** Time passes, and the sweeper runs once. */
    async pass(ms: number) {
      clock.time += ms;
      vi.advanceTimersByTime(SWEEP_MS);
      await settle();
    },
    /** `guilds`: in which servers Discord says that the bot is; null if it has not said it yet. */
    async restart(guilds: readonly string[] | null) {
      program.stop();
      program.close();
      program = await openProgram(guilds ?? []);
      // The other shard has not said anything.
      if (guilds === null) program.plain.tell("READY", { guilds: [], shard: [0, 2] });
      if (guilds === null) await settle();
      else await isNoted(!guilds.includes(GUILD));
    },
    async share(name: string, more: object = {}) {
      await program.memory.remember({
        scope: "user",
        scopeId: ADA,
        subjectId: ADA as UserId,
        guildId: GUILD as GuildId,
        visibility: "org",
        home: { kind: "guild", id: GUILD as GuildId },
        name,
        value: "Berlin",
        basis: [{ type: "typed", ref: "1", isOwn: true, authorId: null, words: "" }],
        createdBy: ADA as UserId,
        verification: "user_confirmed",
        confidence: 1,
        expiresAt: null,
        ends: [],
        ...more,
      });
    },
    names: async () => {
      const { memory } = program;
      return (await memory.open(await memory.find({}))).map(({ name }) => name).sort();
    },
  };
}

const PRIVATE = { guildId: null, visibility: "private", home: { kind: "person", id: ADA } };
const PROJECT = {
  scope: "project",
  scopeId: PLACE.general,
  subjectId: null,
  visibility: "project",
  home: { kind: "channel", id: PLACE.general as ChannelId },
};

describe("facts shared in a server that the bot has left", () => {
  it("end with their keys after 30 days, with an entry in the audit, and private ones stay", async () => {
    const { share, leave, pass, names, entries, program } = await openFolder();
    await share("city");
    await share("city");
    await share("standup", PROJECT);
    await share("secret", PRIVATE);
    await leave();
    await pass(30 * DAY_MS - 1);
    expect(await names()).toHaveLength(4);
    await pass(1);
    await expect.poll(names).toEqual(["secret"]);
    await expect.poll(() => program().keys.names("fact:", { limit: 9 })).toHaveLength(1);
    await expect.poll(() => program().facts.guilds()).toEqual([]);
    await expect
      .poll(() => entries)
      .toMatchObject([
        { kind: "event", row: { name: "memory_left_server", detail_json: `{"guild_id":"${GUILD}","facts":3}` } },
      ]);
    await pass(40 * DAY_MS);
    expect(entries).toHaveLength(1);
  });

  it("stay when the bot comes back before, and have 30 days again from the next removal on", async () => {
    const { share, leave, comeBack, pass, names } = await openFolder();
    await share("city");
    await leave();
    await pass(29 * DAY_MS);
    await comeBack();
    await pass(40 * DAY_MS);
    await leave();
    await pass(29 * DAY_MS);
    expect(await names()).toEqual(["city"]);
    await pass(DAY_MS);
    await expect.poll(names).toEqual([]);
  });

  it("end after 30 days over restarts, also when the bot was removed while the program was off", async () => {
    const { share, pass, names, restart } = await openFolder();
    await share("city");
    await restart([]);
    await pass(20 * DAY_MS);
    await restart([]);
    await pass(10 * DAY_MS - 1);
    expect(await names()).toEqual(["city"]);
    await pass(1);
    await expect.poll(names).toEqual([]);
  });

  it("have 30 days again when the bot was found to be back at a restart", async () => {
    const { share, pass, names, leave, restart } = await openFolder();
    await share("city");
    await leave();
    await pass(29 * DAY_MS);
    await restart([GUILD]);
    await leave();
    await pass(29 * DAY_MS);
    expect(await names()).toEqual(["city"]);
  });

  it("stay as long as Discord has not said in which servers the bot is", async () => {
    const { share, leave, pass, names, restart } = await openFolder();
    await share("city");
    await leave();
    await restart(null);
    await pass(60 * DAY_MS);
    expect(await names()).toEqual(["city"]);
    await restart([]);
    await expect.poll(names).toEqual([]);
  });

  it("stay while the connection is lost, because the bot may be back", async () => {
    const { share, leave, pass, names, program } = await openFolder();
    await share("city");
    await leave();
    program().connection.isUp = false;
    await pass(60 * DAY_MS);
    expect(await names()).toEqual(["city"]);
    program().connection.isUp = true;
    await pass(0);
    await expect.poll(names).toEqual([]);
  });

  it("stay through an outage of the server, however long it is", async () => {
    const { share, pass, names, program, settle } = await openFolder();
    await share("city");
    program().plain.tell("GUILD_DELETE", { id: GUILD, unavailable: true });
    await settle();
    await pass(60 * DAY_MS);
    await pass(60 * DAY_MS);
    expect(await names()).toEqual(["city"]);
  });
});
