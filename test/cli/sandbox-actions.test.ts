import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function openWithCommands() {
  const sandbox = await openTestSandbox();
  const port = new URL(sandbox.url).port;
  const act = (...words: string[]) => runCommand(["sandbox", ...words, "--port", port]);
  const general = () => sandbox.world.channels.get(sandbox.community.channels.get("general") ?? "");
  return { sandbox, act, general };
}

describe("earshot sandbox <action>", () => {
  it("speaks, edits, reacts and deletes as a person in the sandbox that runs", async () => {
    const { act, general } = await openWithCommands();
    const said = await act("say", "--as", "sarah", "--in", "general", "two", "words");
    const { message_id: id } = JSON.parse(said.out);
    const message = () => general()?.messages.get(id);
    expect(message()?.content).toBe("two words");
    await act("say", "--as", "mark", "--in", "general", "--reply-to", id, "indeed");
    expect(general()?.messages.newest?.more?.reference?.messageId).toBe(id);
    await act("edit", "--as", "sarah", "--message", id, "three words now");
    expect(message()?.content).toBe("three words now");
    await act("react", "--as", "mark", "--message", id, "👍");
    expect(message()?.more?.reactions?.size).toBe(1);
    await act("react", "--as", "mark", "--message", id, "👍", "--remove");
    expect(message()?.more?.reactions?.size ?? 0).toBe(0);
    await act("delete", "--as", "sarah", "--message", id);
    expect(message()).toBeUndefined();
  });

  it("changes roles, permissions and the clock, orders faults, and resets", async () => {
    const { sandbox, act, general } = await openWithCommands();
    const mark = () => sandbox.community.guild.members.get(sandbox.as("mark").id);
    await act("roles", "--person", "mark", "crew", "staff");
    expect(mark()?.roles.size).toBe(2);
    await act("overwrite", "--channel", "general", "--who", "person:mark", "--deny", "SendMessages,AddReactions");
    expect(general()?.overwrites.get(sandbox.as("mark").id)?.deny).toBe(2112n);
    const before = sandbox.world.clock.now();
    await act("time", "3600");
    expect(sandbox.world.clock.now() - before).toBeGreaterThanOrEqual(3_600_000);
    await act("fault", "fail_rest", "status=503", "times=1", "match=GET /users");
    const ask = () => fetch(`${sandbox.api}/v10/users/@me`, { headers: { authorization: `Bot ${sandbox.token}` } });
    expect([(await ask()).status, (await ask()).status]).toEqual([503, 200]);
    expect((await act("reset")).code).toBe(0);
    expect(mark()?.roles.size).toBe(0);
  });

  it("sends a file, opens a thread, and lets people join and leave", async () => {
    const { sandbox, act, general } = await openWithCommands();
    const self = fileURLToPath(import.meta.url);
    await act("say", "--as", "sarah", "--in", "general", "--file", self);
    expect(general()?.messages.newest).toMatchObject({
      content: "",
      more: { attachments: [{ filename: "sandbox-actions.test.ts", size: statSync(self).size }] },
    });
    const opened = await act("thread", "--as", "sarah", "--in", "general", "--private", "Two", "words");
    expect(sandbox.world.channels.get(JSON.parse(opened.out).channel_id)).toMatchObject({
      name: "Two words",
      type: 12,
    });
    await act("join", "wren", "--new");
    const isMember = () => sandbox.community.guild.members.has(sandbox.as("wren").id);
    expect(isMember()).toBe(true);
    await act("leave", "wren");
    expect(isMember()).toBe(false);
  });

  it("opens a DM, and waits for what the bot says in it", async () => {
    const { sandbox, act } = await openWithCommands();
    const { channel_id: dm } = JSON.parse((await act("dm", "--as", "sarah")).out);
    const { message_id: asked } = JSON.parse((await act("dm", "--as", "sarah", "hello?")).out);
    sandbox.as("earshot").say(dm, "hello!");
    const waited = await act("wait", "--in", dm, "--after", asked, "--contains", "hello!");
    expect(JSON.parse(waited.out)).toMatchObject({ text: "hello!", channel_id: dm });
  });

  it.each([
    [["sya"], "did you mean `say`?"],
    [["say", "--as", "sarah", "hi"], "`in` is missing."],
    [["say", "--as", "sarah", "--in", "general", "--file", "/nowhere"], "The file /nowhere cannot be read."],
    [["thread", "--as", "sarah", "Nowhere"], "Name either the `message_id`"],
    [
      ["post", "--as", "sarah", "--in", "general", "--title", "Leak", "Water!"],
      "Cannot execute action on this channel type",
    ],
    [["menu", "--as", "sarah", "--person", "mark", "Greet"], "Name either a `message_id`"],
    [["suggest", "--as", "sarah", "--in", "general", "--focused", "to", "sail"], "The bot has registered no commands."],
    [["say", "--as", "sarha", "--in", "general", "hi"], "the closest names are sarah"],
    [["say", "--as", "sarah", "--in", "general", "--message", "1", "hi"], "takes no --message"],
    [["run", "--as", "sarah", "--in", "general", "ask"], "The bot has registered no commands."],
    [["submit", "--as", "sarah", "--interaction", "1", "story"], 'Write "story" as name=value.'],
    [["press", "--as", "sarah", "--message", "1", "OK"], 'Unknown Message: "1"'],
    [["wait", "--timeout", "0.02"], "No message of the bot came within 0.02 s."],
    [["wait", "--timeout", "soon"], "`timeout_ms` must be of the type number"],
    [["time", "soon"], "`advance_seconds` must be of the type number (got string)."],
    [["delete", "--as", "sarah", "--message", "1", "2"], '"2" is one word too many.'],
    [["fault", "fial_rest"], "`fault` must be one of fail_rest,"],
    [["--as", "sarah"], "--as belongs to an action"],
    [["--permissions", "SendMesages"], 'Unknown Permission: "SendMesages"; the closest names are SendMessages'],
  ])("says what is wrong with %j", async (words, problem) => {
    const { act } = await openWithCommands();
    const { code, err } = await act(...words);
    expect(code).toBe(1);
    expect(err).toContain(problem);
  });
});
