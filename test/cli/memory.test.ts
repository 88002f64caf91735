import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { hashToken } from "../../src/policy/authenticate.ts";
import { buttonId, buttonsOf } from "../discord-transport/open-harbour.ts";
import { until } from "../support/edge.ts";
import { runCommand, startCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { IS_ON_POSTGRES } from "../support/test-database.ts";

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

it("earshot memory lists, shows, exports, forgets and erases what is remembered about a person of the sandbox", async () => {
  const folder = await emptyFolder();
  const ports = { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" };
  const running = startCommand(["start"], ports, folder);
  await running.prints("Stop with Ctrl-C");
  const port = /127\.0\.0\.1:(\d+)\/api/.exec(running.out)?.[1] ?? "";
  const runAs = (person: string, ...args: string[]) =>
    runCommand(["memory", ...args, "--as", person], { EARSHOT_SANDBOX_PORT: port }, folder);
  const run = (...args: string[]) => runAs("mark", ...args);
  const post = async (action: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const url = `http://127.0.0.1:${port}/sandbox/${action}`;
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ as: "mark", ...body }) });
    return (await response.json()) as { text: string; message_id: string };
  };
  const remember = async (key: string, value: string) => {
    const { message_id } = await post("run", { command: "memory remember", options: { key, value } });
    const { text } = await post("press", { message_id, label: "Remember" });
    expect(text).toContain(`Remembered: **${key}**.`);
  };
  // What the sample community has had remembered: private, shared and corrected, and one of which a source is gone.
  await expect
    .poll(async () => (await runAs("sarah", "list")).out)
    .toMatch(/^berth: "pontoon D, number 31" {2}org.*\n^present for Mark: .* {2}private/m);
  expect((await runAs("sarah", "show", "berth")).out).toMatch(/^who hears it +the members of Harbourside \(org\)$/m);
  const why = (await runAs("sarah", "why", "berth")).out;
  expect(why).toMatch(
    /^Remembered since \d{4}-\d\d-\d\d \d\d:\d\dZ, until \d{4}-\d\d-\d\d \d\d:\d\dZ; you confirmed it\.$/m,
  );
  expect(JSON.parse((await runAs("sarah", "export")).out).facts).toHaveLength(3);
  expect(JSON.parse((await runAs("fatima", "list", "--json")).out)).toMatchObject([{ dormant: "source_deleted" }]);
  expect((await run("list")).out).toBe("Nothing is remembered.\n");
  await remember("boat", "Petrel");
  await remember("hat", "red");
  expect((await run("list")).out).toMatch(/^boat: "Petrel" {2}private, since \d{4}-\d\d-\d\d until \d{4}-\d\d-\d\d$/m);
  expect(await run("forget", "hat")).toMatchObject({ code: 0, out: expect.stringContaining("Forgotten: hat.") });
  expect(await run("forget", "hat")).toMatchObject({ code: 1, err: "You have no such fact.\n" });
  const [boat] = JSON.parse((await run("list", "--json")).out);
  const shown = await run("show", boat.id.slice(0, 6));
  expect(shown).toMatchObject({ code: 0, err: "" });
  for (const line of [/^key +boat$/m, /^value +"Petrel"$/m, /^who hears it +only you/m, /^rests on +what you typed$/m])
    expect(shown.out).toMatch(line);
  expect(JSON.parse((await run("show", "BOAT", "--json")).out)).toEqual(boat);
  const reasons = await run("why", boat.id.slice(0, 6));
  expect(reasons).toMatchObject({ code: 0, err: "" });
  expect(reasons.out).toMatch(/^It rests on:\n- what you typed\nWho can hear it: only you\.$/m);
  const preview = await run("erase");
  expect(preview.out).toContain("Nothing has been erased yet.");
  expect(preview.out).toContain("Add --yes to erase it.");
  const erased = await run("erase", "--yes");
  expect(erased).toMatchObject({ code: 0, err: "" });
  expect(erased.out).toContain("- facts about you, with their history: 1.");
  expect((await run("list")).out).toBe("Nothing is remembered.\n");
});

it("earshot memory says that only the person can do it on a real server", async () => {
  const env = { EARSHOT_DISCORD_TOKEN: "t.o.k" };
  const refused = await runCommand(["memory", "erase", "--as", "1"], env, await emptyFolder());
  expect(refused.code).toBe(1);
  expect(refused.err).toBe(
    "Only the person can do that: with /privacy erase in Discord, or with --token-file and the token of a client whose grant names that person alone.\n",
  );
});

it.each([
  [["list"], "Name the person: npx earshot memory list --as <person>"],
  [["show", "--as", "1"], "Name the fact, by key or id: npx earshot memory show <fact> --as 1"],
  [["lsit", "--as", "1"], "There is no action `lsit`; did you mean `list`?"],
  [["list", "boat", "--as", "1"], "Give one action, not several."],
  [["list", "--as", "1", "--token-file", "nowhere"], "--token-file: nowhere cannot be read."],
])("earshot memory %j is answered with the next step", async (args, problem) => {
  const refused = await runCommand(["memory", ...args], {}, await emptyFolder());
  expect(refused.code).toBe(1);
  expect(refused.err).toContain(problem);
});

it("earshot memory works on a real server with the token of a client that acts for that person alone", async () => {
  const sandbox = await openTestSandbox();
  const folder = await emptyFolder();
  const { id } = sandbox.as("sarah");
  const toClient = (name: string, actors: readonly string[]) => ({
    name,
    tokenSha256: hashToken(`token-of-${name}`),
    grant: { actors },
  });
  const clients = [toClient("own", [id]), toClient("several", [id, sandbox.as("mark").id])];
  await writeFile(
    join(folder, "earshot.config.json"),
    JSON.stringify({ clients, policy: { memory: { people: "shared" } } }),
  );
  for (const name of ["own", "several", "unknown"])
    await writeFile(join(folder, `${name}.token`), `token-of-${name}\n`);
  const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api, EARSHOT_PORT: "0" };
  const running = startCommand(["start"], env, folder);
  await running.prints("Stop with Ctrl-C");
  const run = (args: readonly string[], { as = id, client = "own" } = {}) => {
    const tokenFile = join(folder, `${client}.token`);
    return runCommand(["memory", ...args, "--as", as, "--token-file", tokenFile], env, folder);
  };
  const remember = async (value: string, share: string) => {
    const asking = sandbox.as("sarah").run("memory remember", { key: "boat", value, share }, { in: "general" });
    const isShown = () => [...asking.ephemeral.values()].find((one) => buttonsOf(one).length > 0);
    const shown = await until(isShown, "no preview");
    sandbox.as("sarah").click(shown, buttonId(shown, "Remember"));
    await until(() => (shown.content.startsWith("Remembered") ? shown : undefined), "nothing was remembered");
  };
  const commands = () => [...sandbox.world.applications.values()].flatMap((one) => [...one.commands.values()]);
  await until(() => commands().find(({ name }) => name === "memory"), "the commands were not registered");
  await remember("Petrel", "private");
  await remember("Tern", "org");
  expect((await run(["list"])).out).toMatch(/^boat: "Tern" {2}org, since .*\nboat: "Petrel" {2}private, since /);
  const ambiguous = await run(["show", "boat"]);
  expect(ambiguous).toMatchObject({ code: 1, out: "" });
  expect(ambiguous.err).toMatch(
    /^Several facts could be meant by "boat"; give the first characters of an id:\n {2}\w+ {2}boat: "Tern".*\n {2}\w+ {2}boat: "Petrel"/,
  );
  const facts = JSON.parse((await run(["list", "--json"])).out) as { id: string; value: string }[];
  const tern = facts.find(({ value }) => value === "Tern")?.id ?? "";
  expect((await run(["show", tern.slice(0, 8)])).out).toMatch(/^who hears it +the members of Quay \(org\)$/m);
  const forgotten = await run(["forget", tern.slice(0, 8), "--json"]);
  expect(JSON.parse(forgotten.out)).toEqual({
    facts: 1,
    scrubbed: !IS_ON_POSTGRES,
    text: expect.stringMatching(/^Forgotten\./),
  });
  expect(await run(["show", tern])).toMatchObject({ code: 1, err: "You have no such fact.\n" });
  expect(JSON.parse((await run(["export"])).out)).toMatchObject({ person_id: id, facts: [{ value: "Petrel" }] });
  expect(JSON.parse((await run(["erase", "--json"])).out)).toMatchObject({ erased: null });
  expect(JSON.parse((await run(["erase", "--yes", "--json"])).out)).toMatchObject({ erased: { facts: 1 } });
  expect((await run(["list"])).out).toBe("Nothing is remembered.\n");

  expect(await run(["list"], { client: "several" })).toMatchObject({
    code: 1,
    err: expect.stringContaining("Only the person can decide this"),
  });
  expect(await run(["list"], { as: sandbox.as("mark").id })).toMatchObject({
    code: 1,
    err: "This client is not granted to act for that person.\n",
  });
  expect((await run(["list"], { client: "unknown" })).err).toMatch(
    /^No Earshot answers at .*, or it does not know the token\./,
  );
});
