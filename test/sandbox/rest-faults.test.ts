import { expect, it } from "vitest";
import { journeys } from "../support/journeys.ts";

journeys("a faulty REST API", (arrive) => {
  it("fails requests, which the client retries", async () => {
    const statuses: number[] = [];
    const { sandbox, client } = await arrive({ onResponse: ({ status }) => statuses.push(status) });
    sandbox.faults.failRest({ match: "GET /users/@me", status: 503, times: 2 });
    expect(await client.api.users.getCurrent()).toMatchObject({ username: "earshot" });
    expect(statuses.slice(-3)).toEqual([503, 503, 200]);
    sandbox.faults.failRest({ match: /^GET \/users/, status: 500, times: 4 });
    await expect(client.api.users.getCurrent()).rejects.toMatchObject({ status: 500 });
  });

  it("slows requests down", async () => {
    const { sandbox, client } = await arrive();
    sandbox.faults.slowRest({ match: "/users/@me", ms: 150 });
    const answers: string[] = [];
    const slow = client.api.users.getCurrent().then(() => answers.push("slow"));
    const quick = client.api.guilds.get(sandbox.community.guild.id).then(() => answers.push("quick"));
    await Promise.all([slow, quick]);
    expect(answers).toEqual(["quick", "slow"]);
  });

  it("answers many requests with 429, which the client waits out", async () => {
    const statuses: number[] = [];
    const { sandbox, client } = await arrive({ onResponse: ({ status }) => statuses.push(status) });
    sandbox.faults.stormRest({ times: 2, retryAfter: 0.05 });
    expect(await client.api.users.getCurrent()).toMatchObject({ username: "earshot" });
    sandbox.faults.stormRest({ times: 1, retryAfter: 0.05, global: true });
    expect(await client.api.users.getCurrent()).toMatchObject({ username: "earshot" });
    expect(statuses.slice(-5)).toEqual([429, 429, 200, 429, 200]);
  });

  it("works normally again when the faults are cleared", async () => {
    const { sandbox, client } = await arrive();
    sandbox.faults.failRest({ status: 500, times: 100 });
    sandbox.faults.clear();
    expect(await client.api.users.getCurrent()).toMatchObject({ username: "earshot" });
  });
});
