import { expect, it } from "vitest";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import type { ServiceField } from "../../src/profiles/http-profile.ts";
import { openHttpProfile, openProfileServer } from "../support/profile-server.ts";
import { openMemoryHarbour } from "./open-memory-harbour.ts";

const FIELDS: readonly ServiceField[] = [{ path: ["title"], key: "title", visibility: "private" }];

async function open() {
  const people: Parameters<typeof openProfileServer>[0] = {};
  const { url } = await openProfileServer(people);
  const { source } = openHttpProfile(url, FIELDS);
  const harbour = await openMemoryHarbour({ profiles: [source] });
  const { sandbox, answer } = harbour;
  const list = async (who: string) => (await answer(sandbox.as(who).run("memory list", {}, { in: "general" }))).content;
  return { ...harbour, people, list };
}

it("/memory list shows what one's own profile says, with or without facts, and who hears it", async () => {
  const { sandbox, people, list, ownMemory, id } = await open();
  const sarah = sandbox.as("sarah").id as UserId;
  people[sarah] = { title: "**Captain**" };
  const first = await list("sarah");
  expect(first).toContain("Nothing is remembered about you.");
  expect(first).toContain("Your profile, which the operator's service keeps, says:");
  expect(first).toContain("**title**: \\*\\*Captain\\*\\*");
  expect(first).toContain("(who hears it: only you)");
  const channelId = id("general") as ChannelId;
  await ownMemory.remember(sarah, { key: "boat", value: "Swan", visibility: "private", typedIn: "1", channelId });
  expect(await list("sarah")).toMatch(
    /1 fact is remembered about you\..*\*\*title\*\*.*only you\)\n\nWhat you had remembered:\n\n\*\*boat\*\*: Swan/s,
  );
  await ownMemory.remember(sarah, { key: "Title", value: "Cook", visibility: "private", typedIn: "1", channelId });
  expect(await list("sarah")).toContain("(who hears it: only you, instead of what is remembered under this name)");
  expect(await list("mark")).toBe("Nothing is remembered about you. `/memory remember` changes that.");
});

it("the preview and /memory why say that a profile has a value of the same name", async () => {
  const { sandbox, people, answer, ownMemory, id } = await open();
  const sarah = sandbox.as("sarah").id as UserId;
  people[sarah] = { title: "Captain" };
  const say = async (command: string, options: Record<string, string>) =>
    (await answer(sandbox.as("sarah").run(command, options, { in: "general" }))).content;
  const instead = "Your profile has a value of this name, too.";
  expect(await say("memory remember", { key: "Title", value: "Cook" })).toContain(instead);
  expect(await say("memory remember", { key: "boat", value: "Swan" })).not.toContain(instead);
  const own = { visibility: "private", typedIn: "1", channelId: id("general") as ChannelId } as const;
  await ownMemory.remember(sarah, { key: "Title", value: "Cook", ...own });
  await ownMemory.remember(sarah, { key: "boat", value: "Swan", ...own });
  expect(await say("memory why", { fact: "title" })).toContain(instead);
  expect(await say("memory why", { fact: "boat" })).not.toContain(instead);
});

it("/memory list says that the profile service could not be read", async () => {
  const { sandbox, people, list } = await open();
  people[sandbox.as("sarah").id] = (response) => response.writeHead(500).end();
  expect(await list("sarah")).toContain("The profile service could not be read just now");
});
