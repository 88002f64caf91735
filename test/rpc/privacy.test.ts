import { describe, expect, it, onTestFinished } from "vitest";
import { connectEarshot } from "../../src/client/index.ts";
import type { UserId } from "../../src/domain/ids.ts";
import type { Grant } from "../../src/policy/grant.ts";
import { until } from "../support/edge.ts";
import { openFullRpc } from "../support/full-rpc.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const NOTHING: Partial<Grant> = { scopes: [], toolsets: [], guilds: [], directMessages: false, events: "none" };
const ONLY_THE_PERSON =
  "Only the person can decide this: with /privacy in Discord, or through a client whose grant names that person and nobody else in `actors`.";

async function arrive(rules: object = {}) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const rpc = await openFullRpc(sandbox, { rules });
  const id = (who: string) => sandbox.as(who).id as UserId;
  const connect = async (name: string, grant: Partial<Grant>) => {
    const client = await connectEarshot({ url: rpc.url, token: rpc.token(name, grant) });
    onTestFinished(() => client.close());
    return client;
  };
  /** A client with an operation for somebody, that they alone read. */
  const forPerson = async (who: string, grant: Partial<Grant>, name = "brain") => {
    const client = await connect(name, grant);
    const { operation_id: operationId } = await client.call("operation.open", { actor: id(who), private: true });
    type Name = "privacy.show" | "privacy.leave_me_out" | "privacy.include_me";
    return { client, call: (method: Name) => client.call(method, {}, { operationId }) };
  };
  const isLeftOut = (who: string) => rpc.consent.isLeftOut(id(who));
  return { sandbox, rpc, id, connect, forPerson, isLeftOut };
}

describe("privacy over RPC", () => {
  it("shows the actor's own state without any scope, toolset, server or role rule", async () => {
    const { forPerson, rpc, sandbox } = await arrive({
      toolsets: [],
      directMessages: false,
      guilds: { allow: [] },
      limits: { callsPerMinute: { actor: 1 } },
    });
    const { call } = await forPerson("mark", { ...NOTHING, actors: "anyone" });
    for (let count = 0; count < 3; count += 1)
      expect(await call("privacy.show")).toMatchObject({
        state: "included",
        text: expect.stringContaining("are used"),
      });
    rpc.consent.set(sandbox.as("mark").id, true);
    expect(await call("privacy.show")).toMatchObject({ state: "left_out" });
    const other = await forPerson("mei", { ...NOTHING, actors: "anyone" });
    expect(await other.call("privacy.show")).toMatchObject({ state: "included" });
  });

  it.each([
    ["anyone", () => "anyone" as const],
    ["two people", (id: (who: string) => UserId) => [id("mark"), id("mei")]],
    ["the same person twice", (id: (who: string) => UserId) => [id("mark"), id("mark")]],
  ])("changes nothing for a client that acts for %s, and says who can", async (_, actors) => {
    const { forPerson, id, isLeftOut, rpc, sandbox } = await arrive();
    const { call, client } = await forPerson("mark", { actors: actors(id) });
    const refusal = { code: "forbidden", message: ONLY_THE_PERSON };
    await expect(call("privacy.leave_me_out")).rejects.toMatchObject(refusal);
    expect(isLeftOut("mark")).toBe(false);
    rpc.consent.set(sandbox.as("mark").id, true);
    await expect(call("privacy.include_me")).rejects.toMatchObject(refusal);
    expect(isLeftOut("mark")).toBe(true);
    const { methods } = await client.call("rpc.describe", {});
    const names = methods.filter(({ name }) => name.startsWith("privacy.")).map(({ name }) => name);
    expect(names).toEqual(["privacy.show"]);
  });

  it("changes nothing for somebody else who addressed a client that acts for one person", async () => {
    const { sandbox, rpc, connect, id, isLeftOut } = await arrive();
    const client = await connect("brain", { actors: [id("mark")], events: "addressed" });
    sandbox.as("mei").say("general", `<@${rpc.edge.discord.botId}> hello`);
    const operations: string[] = [];
    void (async () => {
      for await (const event of client.events())
        if (event.name === "discord.message" && event.operationId !== null) operations.push(event.operationId);
    })();
    const operationId = await until(() => operations[0], "the message was not heard");
    await expect(client.call("privacy.leave_me_out", {}, { operationId })).rejects.toMatchObject({ code: "forbidden" });
    expect([isLeftOut("mei"), isLeftOut("mark")]).toEqual([false, false]);
  });

  it("lets a client that acts for one person leave that person out and include them again", async () => {
    const { forPerson, id, isLeftOut } = await arrive();
    const { call, client } = await forPerson("mark", { ...NOTHING, actors: [id("mark")] });
    expect(await call("privacy.leave_me_out")).toMatchObject({
      state: "left_out",
      text: expect.stringContaining("This does not cover:"),
    });
    expect([isLeftOut("mark"), isLeftOut("mei")]).toEqual([true, false]);
    expect(await call("privacy.include_me")).toMatchObject({ state: "included" });
    expect(isLeftOut("mark")).toBe(false);
    const { methods } = await client.call("rpc.describe", {});
    const privacy = methods.filter(({ name }) => name.startsWith("privacy."));
    expect(privacy.map(({ within_operation, scope, for_models }) => [within_operation, scope, for_models])).toEqual(
      Array(3).fill([true, null, false]),
    );
  });

  it("is refused outside of an operation, and takes no person from the arguments", async () => {
    const { connect, id, forPerson, isLeftOut } = await arrive();
    const client = await connect("own", { actors: [id("mark")] });
    await expect(client.call("privacy.show", {})).rejects.toMatchObject({ code: "invalid" });
    await expect(client.call("privacy.leave_me_out", {})).rejects.toMatchObject({ code: "invalid" });
    const { operation_id: operationId } = await client.call("operation.open", { actor: id("mark"), private: true });
    const named = client.call("privacy.leave_me_out", { actor: id("mei") } as never, { operationId });
    await expect(named).rejects.toMatchObject({ code: "invalid" });
    const thief = await forPerson("mei", { actors: [id("mei")] }, "thief");
    await expect(thief.client.call("privacy.leave_me_out", {}, { operationId })).rejects.toMatchObject({
      code: "not_found",
    });
    expect([isLeftOut("mark"), isLeftOut("mei")]).toEqual([false, false]);
  });

  it("refuses a flood by one client with a typed error, without using up what another client may ask", async () => {
    const { forPerson } = await arrive();
    const { call } = await forPerson("mark", { actors: "anyone" });
    for (let count = 0; count < 20; count += 1) await call("privacy.show");
    const flood = Promise.all([call("privacy.show"), call("privacy.show")]);
    await expect(flood).rejects.toMatchObject({ code: "rate_limited", retryAfter: expect.any(Number) });
    const other = await forPerson("mark", { actors: "anyone" }, "other");
    expect(await other.call("privacy.show")).toMatchObject({ state: "included" });
  });
});
