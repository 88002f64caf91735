import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { MessageRecord } from "../../sandbox/world/records.ts";
import { buttonId, buttonsOf } from "../discord-transport/open-harbour.ts";
import { until } from "../support/edge.ts";
import { connectRaw } from "../support/raw-rpc.ts";
import { openSigningIn } from "./open-sign-in.ts";

const DAY_MS = 86_400_000;

async function arrive() {
  const opened = await openSigningIn();
  const { app, callMcp, signIn } = opened;
  const as = (person: string) => {
    if (!app.sandbox) throw new Error("there is a sandbox");
    return app.sandbox.as(person);
  };
  /** Once the bot has registered its commands, which it does after the start. */
  const run = async (person: string, command: string, options = {}) => {
    const attempt = () => {
      try {
        return as(person).run(command, options, { in: "general" });
      } catch {
        return undefined;
      }
    };
    return (await until(attempt, "the command was never registered")).spoken;
  };
  const list = (person: string) => run(person, "agent", { connections: "show" });
  const isIn = async ({ access_token }: { access_token: string }) =>
    (await callMcp(access_token, "discord_guilds")).status === 200;
  /** Presses a button under the list, and waits until the list is another one. */
  const press = async (person: string, message: MessageRecord, label: string) => {
    const before = message.content;
    as(person).click(message, buttonId(message, label));
    await until(() => message.content !== before, "the list stayed as it was");
    return message.content;
  };
  const connectRpc = ({ access_token }: { access_token: string }) =>
    connectRaw({ url: `${app.url.replace("http", "ws")}/rpc`, token: () => access_token });
  return { ...opened, as, run, list, isIn, press, connectRpc, signIn };
}

describe("/agent connections", () => {
  it("lists what a person signed in, with where it runs, when it was last used and until when, the latest first", async () => {
    const { list, register, signIn, isIn } = await arrive();
    expect((await list("sarah")).content).toBe("No program is signed in as you.");
    const first = await signIn("sarah", { clientId: await register({ client_name: "**Edi`tor**\u202e @everyone" }) });
    await signIn("sarah", { days: "" });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await isIn(first)).toBe(true);
    const used = Math.floor(Date.now() / 1_000);
    const { content } = await list("sarah");
    const lines = content.split("\n").slice(1);
    const until30 = Math.floor((Date.now() - 60_000 + 30 * DAY_MS) / 1_000);
    expect(lines[0]).toMatch(
      /^1\. `\*\*Edi'tor\*\* @everyone` on your computer, last used <t:\d+:R>, until <t:\d+:d>$/,
    );
    const [lastUsed = 0, ends = 0] = [...(lines[0] ?? "").matchAll(/<t:(\d+)/g)].map(([, at]) => Number(at));
    expect(lastUsed).toBe(used);
    expect(Math.abs(ends - until30)).toBeLessThan(60);
    expect(lines[1]).toMatch(/^2\. `An editor` on your computer, last used <t:\d+:R>, until you end it$/);
    expect(lines).toHaveLength(2);
    expect((await list("mark")).content).toBe("No program is signed in as you.");
  });

  it("ends one, or all at once, and nothing of anybody else", async () => {
    const { list, press, signIn, isIn } = await arrive();
    const [one, other, third] = [await signIn("sarah"), await signIn("sarah"), await signIn("sarah")];
    const marks = await signIn("mark");
    const still = async () => [await isIn(one), await isIn(other), await isIn(third), await isIn(marks)];
    expect(await still()).toEqual([true, true, true, true]);
    const shown = await list("sarah");
    expect(buttonsOf(shown).map(({ label }) => label)).toEqual(["End 1", "End 2", "End 3", "End all"]);
    await press("sarah", shown, "End 1");
    expect((await still()).filter(Boolean)).toHaveLength(3);
    expect(await isIn(marks)).toBe(true);
    expect(await press("sarah", shown, "End all")).toBe("No program is signed in as you.");
    expect(await still()).toEqual([false, false, false, true]);
  });
});

it("/privacy leave-me-out ends no sign-in, which is about asking and not about what one wrote; /privacy erase ends all of one's own", async () => {
  const { run, press, signIn, isIn } = await arrive();
  const [sarahs, marks] = [await signIn("sarah"), await signIn("mark")];
  await run("sarah", "privacy leave-me-out");
  expect([await isIn(sarahs), await isIn(marks)]).toEqual([true, true]);
  await press("sarah", await run("sarah", "privacy erase"), "Erase");
  expect([await isIn(sarahs), await isIn(marks)]).toEqual([false, true]);
});

describe("an RPC connection of a program that is signed in", () => {
  it("is pushed no events, and closes when the sign-in is ended", async () => {
    const { app, as, list, press, signIn, connectRpc } = await arrive();
    const rpc = await connectRpc(await signIn("sarah"));
    const named = app.discord.botId;
    as("mark").say("general", `<@${named}> what did I miss?`);
    const open = async (person: string) => rpc.call("operation.open", { actor: as(person).id, private: true });
    expect(await open("mark")).toMatchObject({ ok: false, error: { code: "forbidden" } });
    expect(await open("sarah")).toMatchObject({ ok: true });
    await press("sarah", await list("sarah"), "End 1");
    expect(await rpc.closed).toBe(1001);
    expect(rpc.frames.filter(({ op }) => op.startsWith("event/")).map(({ op }) => op)).toEqual(["event/hello"]);
  });

  it("closes at the first call after its token has expired, and is let in with a new one", async () => {
    const { signIn, refresh, connectRpc } = await arrive();
    const signed = await signIn("sarah");
    const rpc = await connectRpc(signed);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 16 * 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    rpc.send({ id: "late", op: "rpc/call", payload: { method: "discord.guilds", args: {} } });
    expect(await rpc.closed).toBe(1001);
    expect(rpc.of("rpc/ret")).toEqual([]);
    const { body } = await refresh(signed.clientId, signed.refresh_token);
    expect((await connectRpc(body)).of("event/hello")).toHaveLength(1);
  });
});
