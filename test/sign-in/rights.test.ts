import { describe, expect, it } from "vitest";
import { OWN_GRANT, SCOPES } from "../../src/policy/grant.ts";
import { ALLOWANCES } from "../../src/policy/sign-in-settings.ts";
import { buttonsOf } from "../discord-transport/open-harbour.ts";
import { connectNew, connectOld, overHttp, overOldHttp } from "../mcp/clients.ts";
import { connectRaw } from "../support/raw-rpc.ts";
import { openSigningIn } from "./open-sign-in.ts";

const SECRET = "a brass tide clock";

/** What Sarah keeps for herself, and programs that are allowed everything there is. */
async function arrive() {
  const opened = await openSigningIn();
  const { app, callMcp, signIn } = opened;
  const as = (person: string) => {
    if (!app.sandbox) throw new Error("there is a sandbox");
    return app.sandbox.as(person);
  };
  const factsOf = async (token: string, user: string, more: Record<string, string> = {}) =>
    (await callMcp(token, "memory_read_get_user_facts", { user }, more)).text();
  const connectRpc = (token: string) => connectRaw({ url: `${app.url.replace("http", "ws")}/rpc`, token: () => token });
  const signInWith = async (person: string, allow: readonly string[] = ALLOWANCES) =>
    (await signIn(person, { allow })).access_token;
  /** In the bot's name, outside of what the sample community brings. */
  const promptsTo = (person: string) => {
    const dm = as(person).dm("here?").channelId;
    const messages = [...(app.sandbox?.world.channels.get(dm)?.messages ?? [])];
    return messages.filter((one) => one.authorId === app.discord.botId && buttonsOf(one).length > 0);
  };
  return { ...opened, as, factsOf, connectRpc, signInWith, promptsTo };
}

describe("a program that a person signed in", () => {
  it("reads private facts about that person alone, and only where they allowed it", async () => {
    const { as, factsOf, signInWith } = await arrive();
    const sarahs = await signInWith("sarah");
    await expect.poll(() => factsOf(sarahs, "sarah")).toContain(SECRET);
    const without = ALLOWANCES.filter((one) => one !== "private_facts");
    expect(await factsOf(await signInWith("sarah", without), "sarah")).not.toContain(SECRET);
    const marks = await signInWith("mark");
    expect(await factsOf(marks, "sarah")).not.toContain(SECRET);
    const forged = await factsOf(marks, "sarah", { "x-earshot-actor": as("sarah").id });
    expect(forged).not.toContain(SECRET);
    expect(forged).toContain("not granted to act for that person");
  });

  it("changes nothing of the person's privacy, and neither reads nor ends what they have remembered", async () => {
    const { as, connectRpc, signInWith, app } = await arrive();
    const sarah = as("sarah").id;
    const rpc = await connectRpc(await signInWith("sarah"));
    const opened = (await rpc.call("operation.open", { actor: sarah, private: true })) as {
      value: { operation_id: string };
    };
    const state = () => app.as(sarah, "private").privacy();
    const before = await state();
    for (const [method, args] of [
      ["privacy.leave_me_out", {}],
      ["privacy.include_me", {}],
      ["memory.list", {}],
      ["memory.export", {}],
      ["memory.forget", { fact_id: "x" }],
      ["memory.erase", { confirm: true }],
    ] as const) {
      const answer = await rpc.call(method, args, opened.value.operation_id);
      expect([method, answer]).toMatchObject([method, { ok: false, error: { code: "forbidden" } }]);
      expect(rpc.frames[0]?.payload).not.toHaveProperty(["methods", method]);
    }
    expect(await state()).toEqual(before);
    expect(
      JSON.stringify(
        await app.as(sarah, "private", { ...OWN_GRANT, scopes: [...SCOPES], actors: [sarah as never] }).memory.list(),
      ),
    ).toContain(SECRET);
  });

  it.each([
    ["2.x", connectNew, overHttp],
    ["1.x", connectOld, overOldHttp],
  ] as const)(
    "confirms nothing by itself, and its host is not asked: the person is, in Discord (%s)",
    async (_, connect, over) => {
      const { app, as, connectRpc, signInWith, promptsTo } = await arrive();
      const token = await signInWith("sarah");
      let asked = 0;
      const client = await connect(over({ url: app.signInUrl ?? "", token }), () => {
        asked += 1;
        return { action: "accept", content: { decision: "send" } };
      });
      const general = app.sandbox?.community.channels.get("general") ?? "";
      const posted = () =>
        [...(app.sandbox?.world.channels.get(general)?.messages ?? [])].filter(({ content }) => content === "hello");
      const sent = await client.call("discord_send", { channel_id: general, text: "hello" });
      expect(sent.isError).toBe(true);
      const remembered = await client.call("memory_write_remember_fact", { key: "tea", value: "green" });
      expect(remembered.isError).toBe(true);
      expect([asked, posted().length]).toEqual([0, 0]);
      await expect.poll(() => promptsTo("sarah").length).toBeGreaterThan(0);
      const rpc = await connectRpc(token);
      for (const method of ["confirmation.pending", "confirmation.approve", "confirmation.reject"]) {
        const answer = await rpc.call(method, { actor: as("sarah").id, confirmation_id: "x" });
        expect(answer).toMatchObject({ ok: false, error: { code: "forbidden" } });
      }
      expect(posted()).toEqual([]);
    },
  );

  it("is known by a random id, whatever it calls itself", async () => {
    const { register, signIn, connectRpc, at } = await arrive();
    const clientId = await register({ client_name: "operator" });
    const { access_token } = await signIn("sarah", { clientId });
    const rpc = await connectRpc(access_token);
    expect(rpc.frames[0]?.payload).toMatchObject({ client: expect.stringMatching(/^signin:[\w-]{16,}$/) });
    const headers = { authorization: `Bearer ${access_token}` };
    expect((await fetch(at("/operator/console-link"), { method: "POST", headers })).status).toBe(401);
  });
});
