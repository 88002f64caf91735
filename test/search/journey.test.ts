import { expect, it } from "vitest";
import { parseQuery, toQuery } from "../../src/domain/search/query.ts";
import { openTestTimelines } from "../support/timelines.ts";

it("search finds an old message through Discord's own search over real sockets, and says when that is not ready", async () => {
  const { sandbox, timelines, channel, proxy, heard, openAnother } = await openTestTimelines();
  sandbox.as("sarah").say("general", "the lighthouse keeper found a walrus");
  for (let index = 0; index < 130; index += 1) sandbox.as("sarah").say("general", `number ${index}`);
  const request = {
    channelIds: [channel("general")],
    query: toQuery(parseQuery("who saw the walrus?")),
    limit: 5,
    scan: 100,
  };
  const first = await timelines.find(request);
  expect(first.hits.map(({ message }) => message.content)).toEqual(["the lighthouse keeper found a walrus"]);
  expect(first).toMatchObject({ older: "searched", coverage: { complete: false } });
  expect(proxy.requests.filter((line) => line.includes("/messages/search"))).not.toEqual([]);

  const whole = await timelines.find({ ...request, scan: 2_000 });
  expect(whole.hits.map(({ message }) => message.content)).toEqual(["the lighthouse keeper found a walrus"]);
  expect(whole).toMatchObject({ older: "not_needed", coverage: { complete: true } });

  const [found] = whole.hits;
  if (found) sandbox.as("sarah").delete(found.message.message_id);
  await heard();
  expect((await timelines.find({ ...request, scan: 2_000 })).hits).toEqual([]);

  sandbox.admin.setSearchIndexReady(false);
  expect(await openAnother().find(request)).toMatchObject({
    hits: [],
    older: "not_ready",
    coverage: { complete: false },
  });
});
