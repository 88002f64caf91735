import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EarshotError } from "../../src/domain/errors.ts";
import type { UserId } from "../../src/domain/ids.ts";
import type { Gate } from "../../src/gate/gate.ts";
import { openConsent } from "../../src/memory/consent.ts";
import type { OptOutStore } from "../../src/ports/opt-out-store.ts";
import { SCHEMA, tablesOf } from "../../src/stores/schema.ts";
import { createTestPrivacy } from "../support/consent.ts";
import { IS_ON_POSTGRES, openTestDatabaseToRead } from "../support/test-database.ts";
import { openAskingHarbour } from "./open-commands.ts";
import { openProgram } from "./open-privacy.ts";

const HIS = "the anchor is under the third stone";

describe("/privacy leave-me-out", () => {
  it("takes effect at once for everybody else's /find, survives a restart, and is taken back by include-me", async () => {
    const { sandbox, privacy, find, restart } = await openProgram();
    sandbox.as("mark").say("general", HIS);
    sandbox.as("mei").say("general", "which anchor?");
    const found = async () => (await find("sarah", "anchor")).match(/^> .*$/gm)?.toSorted();
    await expect.poll(found).toEqual([`> ${HIS}`, "> which anchor?"]);

    const answer = await privacy("mark", "leave-me-out");
    expect(answer).toContain("Your messages are left out from now on, in every server");
    expect(await found()).toEqual(["> which anchor?"]);
    expect(await find("sarah", "third stone")).toContain("Nothing found");
    await restart();
    expect(await found()).toEqual(["> which anchor?"]);
    expect(await privacy("mark", "show")).toContain("because you asked for it");

    expect(await privacy("mark", "include-me")).toContain("Your messages are used.");
    await expect.poll(found).toEqual([`> ${HIS}`, "> which anchor?"]);
    expect(await privacy("mark", "show")).toMatch(/^Your messages are used\./);
  });

  it("says what it does not cover, and that a keyed hash is kept", async () => {
    const { privacy } = await openProgram();
    const answer = await privacy("mark", "leave-me-out");
    for (const words of [
      "others who quote you",
      "your name where others mention you",
      "a webhook or a proxy bot",
      "what was already sent, and what connected programs already received",
      "what is on Discord itself",
      "What you ask for yourself is still answered",
      "kept as a keyed hash of your id, also when everything else about you is erased",
      "`/privacy include-me` takes it back",
    ])
      expect(answer).toContain(words);
    expect(answer.length).toBeLessThanOrEqual(2_000);
  });

  it("still answers the person's own commands", async () => {
    const { sandbox, privacy, find } = await openProgram();
    sandbox.as("mei").say("general", "which anchor?");
    await privacy("mark", "leave-me-out");
    await expect.poll(() => find("mark", "anchor")).toContain("> which anchor?");
  });

  it("works in a direct message with the bot, for all servers", async () => {
    const { sandbox, privacy, find } = await openProgram();
    sandbox.as("mark").say("general", HIS);
    const { channelId } = sandbox.as("mark").dm("hello");
    await expect.poll(() => find("sarah", "anchor")).toContain(HIS);
    await privacy("mark", "leave-me-out", channelId);
    expect(await find("sarah", "anchor")).toContain("Nothing found");
  });

  it("stores no id of the person", async () => {
    const { sandbox, privacy, folder } = await openProgram();
    await privacy("mark", "leave-me-out");
    const database = await openTestDatabaseToRead(join(folder, "earshot.db"));
    const tables = await Promise.all(tablesOf(SCHEMA).map(({ name }) => database.query(`SELECT * FROM ${name}`)));
    await database.close();
    const names = readdirSync(folder).filter((name) => /^earshot\.db(-wal)?$/.test(name));
    const files = names.map((name) => readFileSync(join(folder, name), "latin1"));
    expect([tables.flat().length > 0, files.length > 0]).toEqual([true, !IS_ON_POSTGRES]);
    for (const stored of [JSON.stringify(tables), ...files]) expect(stored).not.toContain(sandbox.as("mark").id);
  });

  it("holds until the next start when it cannot be stored, and the answer says to repeat it", async () => {
    const broken = new EarshotError(
      "unavailable",
      "The database cannot be written: the disk is full. Free some space, then try again.",
    );
    const store: OptOutStore = {
      load: async () => [],
      add: () => Promise.reject(broken),
      remove: () => Promise.reject(broken),
    };
    const consent = await openConsent({ store, markOf: String, byOperator: [], clock: { now: () => Date.now() } });
    const { sandbox, answer } = await openAskingHarbour({ privacy: createTestPrivacy(consent) });
    const say = async (what: string) =>
      (await answer(sandbox.as("mark").run(`privacy ${what}`, {}, { in: "general" }))).content;
    const text = await say("leave-me-out");
    expect(text).toContain("it holds only until the program's next start. Please do this again");
    expect(text).not.toContain("database");
    expect(consent.isLeftOut(sandbox.as("mark").id as UserId)).toBe(true);
    expect(await say("include-me")).toContain("Nothing was changed: your messages are still left out");
  });

  it("takes effect although Discord takes no answer", async () => {
    const { sandbox, commands, consent } = await openAskingHarbour();
    sandbox.faults.failRest({ match: "/callback", status: 500, times: 4 });
    sandbox.as("mark").run("privacy leave-me-out", {}, { in: "general" });
    await expect.poll(() => consent.isLeftOut(sandbox.as("mark").id as UserId)).toBe(true);
    await commands.close();
  });
});

describe("/privacy include-me", () => {
  it("is refused in plain words shortly after the last time", async () => {
    const { privacy } = await openProgram();
    for (const what of ["leave-me-out", "include-me", "leave-me-out"]) await privacy("mark", what);
    expect(await privacy("mark", "include-me")).toBe(
      "You were included again a moment ago; wait ten minutes before you do it once more.",
    );
    expect(await privacy("mark", "show")).toContain("Your messages are left out, because you asked for it");
  });

  it("says that only the operator can include somebody whom the operator leaves out", async () => {
    const { privacy } = await openProgram((sandbox) => ({ policy: { optOut: { people: [sandbox.as("mark").id] } } }));
    expect(await privacy("mark", "show")).toContain("because the person who runs this bot decided so");
    expect(await privacy("mark", "include-me")).toContain("Your messages stay left out");
    expect(await privacy("mark", "leave-me-out")).toContain("leaves you out as well");
    expect(await privacy("mark", "show")).toContain("Only the person who runs this bot can change it");
    expect(await privacy("mei", "show")).toMatch(/^Your messages are used\./);
  });
});

describe("/privacy", () => {
  it("is not taken away by rules that forbid everything else, nor by a budget that is used up", async () => {
    const { privacy, find } = await openProgram((sandbox) => ({
      policy: {
        searchTools: false,
        directMessages: false,
        toolsets: [],
        guilds: { allow: [], deny: [sandbox.community.guild.id] },
        channels: { allow: [] },
        roles: [{ guild: sandbox.community.guild.id, role: "everyone", scopes: [] }],
        limits: { callsPerMinute: { actor: 1 } },
      },
    }));
    for (let count = 0; count < 3; count += 1) expect(await find("mark", "anchor")).not.toContain("ound for");
    expect(await privacy("mark", "show")).toMatch(/^Your messages are used\./);
    expect(await privacy("mark", "leave-me-out")).toContain("left out from now on");
    expect(await privacy("mark", "include-me")).toMatch(/^Your messages are used\./);
  });

  it("works while three other commands of the same person are running", async () => {
    const callTool: Gate["callTool"] = ({ signal }) =>
      new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    const { sandbox, answer } = await openAskingHarbour({ wrapGate: (gate) => ({ ...gate, callTool }) });
    for (let count = 0; count < 3; count += 1) sandbox.as("mark").run("find", { query: "x" }, { in: "general" });
    const refused = await answer(sandbox.as("mark").run("find", { query: "x" }, { in: "general" }));
    expect(refused.content).toContain("three commands running");
    const shown = await answer(sandbox.as("mark").run("privacy show", {}, { in: "general" }));
    expect(shown.content).toMatch(/^Your messages are used\./);
  });

  it("acts for the account that used it, and tells nothing about anybody else", async () => {
    const { sandbox, privacy } = await openProgram();
    const before = await privacy("mei", "show");
    expect(await privacy("sarah", "show")).toBe(before);
    await privacy("mark", "leave-me-out");
    expect(await privacy("mei", "show")).toBe(before);
    expect(await privacy("sarah", "leave-me-out")).toBe(await privacy("mark", "leave-me-out"));
    const answers = [before, await privacy("mark", "show"), await privacy("mark", "leave-me-out")].join("\n");
    expect(answers).not.toMatch(/\d{15,}/);
    for (const { username } of sandbox.world.users.values())
      expect(answers.toLowerCase()).not.toContain(` ${username} `);
  });

  it("says what is kept, by the operator's settings", async () => {
    const { privacy } = await openProgram((sandbox) => ({
      timeline: {
        messagesPerChannel: 1_234,
        maxAgeDays: 3,
        retentionDays: 1,
        diskChannels: [sandbox.community.channels.get("general") ?? ""],
      },
      audit: { retentionDays: 7 },
    }));
    const shown = await privacy("mark", "show");
    expect(shown).toContain("at most 1,234 per channel, for at most 3 days after");
    expect(shown).toContain(
      "on disk only in channels that the person who runs this bot chose, until they are 1 day old",
    );
    expect(shown).toContain("In the audit, for 7 days");
    expect(shown).toContain("a keyed hash of their id");
    await privacy("mark", "leave-me-out");
    expect(await privacy("mark", "show")).toContain("None of your messages, except requests that you make yourself");
  });

  it("refuses a flood by one person, and answers others meanwhile", async () => {
    const { privacy } = await openProgram();
    const answers: string[] = [];
    // One more is allowed every three seconds, so a slow machine gets more of them.
    do answers.push(await privacy("mark", "show"));
    while (answers.length < 200 && answers.at(-1)?.startsWith("Your messages are used."));
    expect(answers.length).toBeGreaterThan(20);
    expect(answers.at(-1)).toMatch(/^Too many requests; try again in \d+(\.\d+)? seconds?\.$/);
    expect(await privacy("mei", "show")).toMatch(/^Your messages are used\./);
  });
});
