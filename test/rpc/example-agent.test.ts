import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { until } from "../support/edge.ts";
import { openFullRpc } from "../support/full-rpc.ts";
import { type ModelServer, openModelServer } from "../support/model-server.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const BRAIN = fileURLToPath(new URL("../../examples/brain.ts", import.meta.url));
const PICTURE = {
  filename: "hull.png",
  contentType: "image/png",
  bytes: new Uint8Array([1, 2, 3]),
  width: 1,
  height: 1,
};

/** The example as a person would start it, connected to the whole server on a sandbox. */
async function startBrain(sandbox: Sandbox, model: ModelServer, env: Record<string, string> = {}) {
  const rpc = await openFullRpc(sandbox);
  const settings = {
    BRAIN_EARSHOT: rpc.url,
    BRAIN_TOKEN: rpc.token(),
    BRAIN_MODEL_URL: model.url,
    BRAIN_MODEL: "scripted",
  };
  const child = spawn(process.execPath, [BRAIN], { env: { ...process.env, ...settings, ...env } });
  onTestFinished(() => void child.kill());
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (printed += data));
  await until(() => printed.includes("listens"), "the brain does not start");
  const bot = `<@${rpc.edge.discord.botId}>`;
  const heard = (text: string) => until(() => rpc.edge.said().includes(text), `"${text}" was not said; ${printed}`);
  return { rpc, bot, heard, printed: () => printed };
}

describe("the example agent", () => {
  it("the example agent reads messages and pictures, uses tools and answers", async () => {
    const sandbox = await openTestSandbox();
    const general = sandbox.community.channels.get("general") ?? "";
    const model = await openModelServer([
      () => ({ tool: "discord_search_window", args: { channel_id: general, query: "tide" } }),
      () => ({ tool: "discord_send", args: { channel_id: general, text: "High water at 14:10." } }),
      () => "Done.",
    ]);
    const { bot, heard, rpc } = await startBrain(sandbox, model);
    const [sarah, mark] = [sandbox.as("sarah"), sandbox.as("mark")];
    mark.say("general", "the tide table says 14:10");
    sarah.say("general", { content: "my hull", attachments: [PICTURE] });
    sarah.say("general", "nothing to do with the bot");
    sarah.say("general", `${bot} when is high water?`);
    await heard("High water at 14:10.");
    await until(() => model.requests.length === 3, "the model was not asked again");
    const [first, second] = model.requests;
    expect(first?.model).toBe("scripted");
    expect(first?.tools.map((tool) => tool.function.name)).toEqual(
      expect.arrayContaining(["discord_send", "discord_channel_messages"]),
    );
    const [, window, request, task] = first?.messages ?? [];
    const shown = JSON.stringify(window?.content);
    expect(shown).toContain("[recent channel context]");
    expect(shown).toContain("the tide table says 14:10");
    expect(shown).toContain("my hull ⟦file: hull.png⟧");
    expect(shown).not.toContain("when is high water?");
    expect(request?.content).toEqual([{ type: "text", text: "you: @Earshot when is high water?" }]);
    expect(task?.content).toEqual([
      { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
      { type: "text", text: expect.stringContaining(general) },
    ]);
    expect(second?.messages.at(-1)).toMatchObject({
      role: "tool",
      content: expect.stringContaining("the tide table says"),
    });
    expect(rpc.edge.said().filter((text) => text === "Done.")).toEqual([]);
  });

  it("the example agent sends the model's text, and gives it pictures as links where configured", async () => {
    const sandbox = await openTestSandbox();
    const model = await openModelServer([() => "Aye."]);
    const { bot, heard } = await startBrain(sandbox, model, { BRAIN_PICTURES: "url" });
    sandbox.as("sarah").say("general", { content: `${bot} look`, attachments: [PICTURE] });
    await heard("Aye.");
    expect(JSON.stringify(model.requests[0]?.messages)).toMatch(/"image_url":\{"url":"http[^"]+hull\.png/);
  });

  it("the example agent gives the model the errors of tools, and stops after a maximum of steps", async () => {
    const sandbox = await openTestSandbox();
    const secret = sandbox.community.channels.get("staff-room") ?? "";
    const model = await openModelServer([
      () => ({ tool: "discord_channel_messages", args: { channel_id: secret } }),
      () => ({ tool: "launch_missiles", args: {} }),
      ...Array.from({ length: 20 }, () => () => ({ tool: "discord_guilds", args: "{broken" })),
    ]);
    const { bot, printed } = await startBrain(sandbox, model);
    sandbox.as("sarah").say("general", `${bot} what do the staff say?`);
    await until(() => model.requests.length === 8, "the brain gave up early");
    const results =
      model.requests
        .at(-1)
        ?.messages.filter(({ role }) => role === "tool")
        .map(({ content }) => content) ?? [];
    expect(results[0]).toContain("There is no such channel");
    expect(results[1]).toContain("There is no tool launch_missiles");
    expect(results[2]).toContain("error");
    sandbox.as("sarah").say("general", `${bot} still there?`);
    await until(() => model.requests.length > 8, "the brain is gone");
    expect(printed()).not.toContain("Error");
  });
});
