import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { MessageId, UserId } from "../../src/domain/ids.ts";
import type { Read } from "../../src/ports/timelines.ts";
import { smallCommunity } from "../support/small-community.ts";
import { openTestTimelines } from "../support/timelines.ts";

const texts = ({ messages }: Read) => messages.map(({ content }) => content);

/** Three hundred posts, three a day, with a needle here and there. */
const posts = Array.from({ length: 300 }, (_, index) => ({
  minutesAgo: (300 - index) * 480,
  in: "general",
  by: "sarah",
  text: index % 70 === 0 ? `needle ${index}` : `post ${index}`,
}));

async function arrive() {
  const folder = mkdtempSync(join(tmpdir(), "earshot-timeline-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const test = await openTestTimelines({}, { community: smallCommunity(posts) });
  const general = test.channel("general");
  /** Without the background that reads everything again: pages are counted here. */
  const open = (retentionDays = 1_000) =>
    test.openAnother({ disk: { folder, channels: [general], retentionDays }, backgroundIntervalMs: 3_600_000 });
  const onDisk = () =>
    readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), "latin1"))
      .join("");
  return { ...test, folder, general, open, onDisk, sarah: test.sandbox.as("sarah") };
}

describe("a timeline on disk", () => {
  it("holds only the channels that are configured", async () => {
    const { open, onDisk, general, sarah, heard } = await arrive();
    const timelines = open();
    sarah.say("general", "for-the-record");
    sarah.dm("between-us");
    const thread = sarah.openThread({ in: "general" }, "aside");
    sarah.say(thread.id, "in-a-thread");
    await heard();
    await timelines.contains(general, "needle", { limit: 10 });
    expect(onDisk()).toContain("for-the-record");
    expect(onDisk()).toContain("needle 70");
    for (const secret of ["between-us", "in-a-thread", "marker"]) expect(onDisk()).not.toContain(secret);
  });

  it("has after a restart the messages of before and those written or edited while it was down, and requests them only once", async () => {
    const { open, general, sarah, heard, pages, sandbox } = await arrive();
    const first = open();
    const search = { limit: 10, scan: 1_000 };
    expect(texts(await first.contains(general, "needle", search))).toHaveLength(5);
    await first.close();
    const [oldest] = [...(sandbox.world.channels.get(general)?.messages ?? [])];
    sarah.say("general", "needle 999, said while it was away");
    sarah.edit(oldest?.id ?? "", "needle 0, edited while it was away");
    await heard();
    const again = open();
    const asked = pages();
    const found = await again.contains(general, "needle", search);
    expect(texts(found)).toEqual([
      "needle 999, said while it was away",
      "needle 280",
      "needle 210",
      "needle 140",
      "needle 70",
      "needle 0, edited while it was away",
    ]);
    expect(found.coverage).toMatchObject({ scanned: 301, complete: true });
    expect(texts(await again.contains(general, "away", search))).toHaveLength(2);
    expect(pages() - asked).toBe(4);
  });

  it("does not show after a restart messages that were deleted or changed while it was down", async () => {
    const { open, general, sarah, onDisk, sandbox } = await arrive();
    const first = open();
    await first.contains(general, "needle", { limit: 10 });
    await first.close();
    const all = [...(sandbox.world.channels.get(general)?.messages ?? [])];
    const [deleted, edited] = [70, 140].map((index) => all[index]?.id as MessageId);
    sarah.delete(deleted as string);
    sarah.edit(edited as string, "nothing to see");
    const again = open();
    const found = await again.contains(general, "needle", { limit: 10 });
    expect(texts(found)).toEqual(["needle 280", "needle 210", "needle 0"]);
    expect(await again.message(general, deleted as MessageId)).toBeUndefined();
    expect(texts(await again.before(general, edited as MessageId, { limit: 1 }))).toEqual(["post 139"]);
    expect(onDisk()).not.toContain("needle 70");
    expect(onDisk()).not.toContain("needle 140");
    expect(onDisk()).toContain("needle 210");
  });

  it("holds no message that is older than its retention, though it can still be read", async () => {
    const { open, general, onDisk, clock } = await arrive();
    const timelines = open(50);
    const found = await timelines.contains(general, "needle", { limit: 10 });
    expect(texts(found)).toEqual(["needle 280", "needle 210", "needle 140", "needle 70", "needle 0"]);
    expect(onDisk()).toContain("needle 210");
    expect(onDisk()).not.toContain("needle 140");
    clock.ahead += 25 * 86_400_000;
    await timelines.recent(general, { limit: 1 });
    expect(onDisk()).toContain("needle 280");
    expect(onDisk()).not.toContain("needle 210");
  });

  it("keeps no byte of deleted messages, nor of a channel that was lost", async () => {
    const { open, general, onDisk, sarah, heard, sandbox, edge } = await arrive();
    const timelines = open();
    const canary = sarah.say("general", "canary-one");
    sarah.say("general", "canary-two");
    await heard();
    await timelines.recent(general, { limit: 100 });
    expect(onDisk()).toContain("canary-one");
    sarah.delete(canary);
    await heard();
    expect(onDisk()).not.toContain("canary-one");
    expect(onDisk()).toContain("canary-two");
    sandbox.admin.setOverwrite("general", "person:earshot", { deny: ["ViewChannel"] });
    await edge.find("access_lost");
    for (const trace of ["canary-two", "post 250", "Skipper"]) expect(onDisk()).not.toContain(trace);
  });

  it("takes in no message that arrives after the channel was lost", async () => {
    const { open, general, onDisk, sandbox, edge, answers } = await arrive();
    const timelines = open();
    answers.hold();
    const reading = timelines.recent(general, { limit: 5 });
    reading.catch(() => {});
    await answers.waiting(1);
    sandbox.admin.setOverwrite("general", "person:earshot", { deny: ["ViewChannel"] });
    await edge.find("access_lost");
    answers.letGo();
    await expect(reading).rejects.toMatchObject({ code: "not_found" });
    expect(onDisk()).not.toContain("post 299");
  });

  it("erases at the start the messages of people who have opted out since, and holds no more of them", async () => {
    const { open, openAnother, folder, general, onDisk, sandbox, sarah, heard, consent } = await arrive();
    const first = open();
    sandbox.as("mark").say("general", "the heron is back");
    await heard();
    await first.recent(general, { limit: 5 });
    await first.close();
    expect(onDisk()).toContain("post 299");
    const disk = { folder, channels: [general], retentionDays: 1_000 };
    consent.set(sarah.id, true);
    const second = openAnother({ disk });
    sarah.say("general", "and off again");
    await heard();
    expect(texts(await second.recent(general, { limit: 5 }))).toEqual(["the heron is back"]);
    await second.close();
    for (const gone of ["post 299", "off again"]) expect(onDisk()).not.toContain(gone);
    expect(onDisk()).toContain("the heron is back");
  });

  it("erases what somebody wrote as soon as they are left out, and reads it again when they no longer are", async () => {
    const { open, general, onDisk, sandbox, sarah, heard, consent } = await arrive();
    const timelines = open();
    sandbox.as("mark").say("general", "the heron is back");
    await heard();
    await timelines.recent(general, { limit: 5 });
    expect(onDisk()).toContain("post 299");
    consent.set(sarah.id, true);
    expect(onDisk()).not.toContain("post 299");
    expect(onDisk()).toContain("the heron is back");
    consent.set(sarah.id, false);
    expect(texts(await timelines.recent(general, { limit: 5 }))).toEqual(expect.arrayContaining(["post 299"]));
  });

  it("lets go of what somebody wrote who erases it, and reads it again when it is asked for", async () => {
    const { open, general, onDisk, sandbox, sarah, heard } = await arrive();
    const timelines = open();
    sandbox.as("mark").say("general", "the heron is back");
    await heard();
    await timelines.recent(general, { limit: 5 });
    timelines.letGoOf(sarah.id as UserId);
    expect(onDisk()).not.toContain("post 299");
    expect(onDisk()).toContain("the heron is back");
    expect(texts(await timelines.recent(general, { limit: 5 }))).toEqual(expect.arrayContaining(["post 299"]));
  });

  it("erases at the start channels that are no longer configured or no longer readable", async () => {
    const { open, openAnother, folder, general, onDisk, channel, sandbox, edge, heard } = await arrive();
    const first = open();
    await first.recent(general, { limit: 5 });
    await first.close();
    expect(onDisk()).toContain("post 299");
    sandbox.admin.setOverwrite("general", "person:earshot", { deny: ["ReadMessageHistory"] });
    await edge.find("access_lost");
    await open().close();
    expect(onDisk()).not.toContain("post 299");
    sandbox.admin.removeOverwrite("general", "person:earshot");
    await heard();
    const second = open();
    await second.recent(general, { limit: 5 });
    await second.close();
    await openAnother({ disk: { folder, channels: [channel("news")], retentionDays: 9 } }).close();
    expect(onDisk()).not.toContain("post 299");
  });
});
