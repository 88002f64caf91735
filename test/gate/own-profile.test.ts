import { expect, it, onTestFinished } from "vitest";
import type { ChannelId, GuildId, UserId } from "../../src/domain/ids.ts";
import type { ServiceField } from "../../src/profiles/http-profile.ts";
import { openHttpProfile, openProfileServer, sendJson } from "../support/profile-server.ts";
import { ADA, CEM, GUILD, PLACE } from "../support/small-world.ts";
import { openWithMemory } from "../support/with-memory.ts";

const FIELDS: readonly ServiceField[] = [
  { path: ["title"], key: "title", visibility: { server: GUILD as GuildId } },
  { path: ["berth"], key: "berth", visibility: { channel: PLACE.staff as ChannelId } },
  { path: ["salary"], key: "salary", visibility: "private" },
  { path: ["note"], key: "note", visibility: { channel: "4999" as ChannelId } },
];
const SAYS = { title: "Harbour master", berth: "B12", salary: 4_000, note: "of a channel that nobody knows" };

async function open(people: Parameters<typeof openProfileServer>[0] = { [ADA]: SAYS, [CEM]: SAYS }) {
  const server = await openProfileServer(people);
  const { source, time } = openHttpProfile(server.url, FIELDS);
  const system = await openWithMemory({ profiles: [source] });
  onTestFinished(() => system.close());
  const profileOf = async (person: string) => {
    const { fields, isUnavailable } = (await system.ownMemory?.profile(person as UserId)) ?? { fields: [] };
    return { says: fields.map(({ key, value }) => `${key}=${value}`), isUnavailable };
  };
  return { ...system, ...server, time, profileOf };
}

it("people see of their own profile what they may hear, and not what the operator keeps for others", async () => {
  const { profileOf } = await open();
  expect((await profileOf(ADA)).says).toEqual(["title=Harbour master", "berth=B12", "salary=4000"]);
  expect((await profileOf(CEM)).says).toEqual(["title=Harbour master", "salary=4000"]);
});

it("who has left the server sees nothing of their profile that is for its members", async () => {
  const { profileOf, leave } = await open();
  leave(ADA);
  expect((await profileOf(ADA)).says).toEqual(["salary=4000"]);
});

it("the profile of somebody who is left out is not asked for", async () => {
  const { profileOf, consent, requests } = await open();
  await consent.leaveOut(ADA as UserId);
  expect(await profileOf(ADA)).toEqual({ says: [], isUnavailable: false });
  expect(requests).toEqual([]);
});

it("the profile of somebody who asks to be left out while it is looked up in which servers they are is not asked for", async () => {
  const { profileOf, consent, requests, directory } = await open();
  const learnMember = directory.learnMember.bind(directory);
  directory.learnMember = async (...given) => {
    await consent.leaveOut(ADA as UserId);
    return learnMember(...given);
  };
  expect(await profileOf(ADA)).toEqual({ says: [], isUnavailable: false });
  expect(requests).toEqual([]);
});

it("who asks to be left out while their profile is read sees nothing of it", async () => {
  const people: Parameters<typeof openProfileServer>[0] = {};
  const { profileOf, consent } = await open(people);
  people[ADA] = (response) => void consent.leaveOut(ADA as UserId).then(() => response.writeHead(500).end());
  expect(await profileOf(ADA)).toEqual({ says: [], isUnavailable: false });
});

it("who leaves the server while their profile is read sees nothing of it that is for its members", async () => {
  const people: Parameters<typeof openProfileServer>[0] = {};
  const { profileOf, leave } = await open(people);
  people[ADA] = (response) => {
    leave(ADA);
    sendJson(response, JSON.stringify(SAYS));
  };
  expect((await profileOf(ADA)).says).toEqual(["salary=4000"]);
});

it("an outage of the profile service is said", async () => {
  const { profileOf } = await open({ [ADA]: (response) => response.writeHead(500).end() });
  expect(await profileOf(ADA)).toEqual({ says: [], isUnavailable: true });
});

it("who has no profile is told nothing of it", async () => {
  const { profileOf } = await open({});
  expect(await profileOf(ADA)).toEqual({ says: [], isUnavailable: false });
});
