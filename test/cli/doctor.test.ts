import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openProfileServer } from "../support/profile-server.ts";
import { runCommand } from "../support/program.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const NOTHING = "1028328909302661199";

async function arrive() {
  const folder = await mkdtemp(join(tmpdir(), "earshot-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const sandbox = await openTestSandbox({ rateLimits: false });
  const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api };
  const { guild, channels } = sandbox.community;
  return {
    ...{ folder, sandbox },
    guild: guild.id,
    id: (key: string) => channels.get(key) ?? "",
    async diagnose(config?: object) {
      const file = join(folder, "earshot.config.json");
      if (config) await writeFile(file, JSON.stringify(config));
      return { file, ...(await runCommand(["doctor"], env, folder)) };
    },
  };
}

describe("earshot doctor", () => {
  it("says which file and variables it read, and whether a program runs with the data folder", async () => {
    const { diagnose, folder } = await arrive();
    const without = await diagnose();
    expect(without.out).toContain(
      `✓ configuration: there is no earshot.config.jsonc in ${folder}, so defaults, and from the environment EARSHOT_DISCORD_TOKEN, `,
    );
    expect(without.out).toContain(`- program: none runs with the data folder ${join(folder, ".earshot")}`);
    const { out, file } = await diagnose({ timeZone: "Europe/Berlin" });
    expect(out).toContain(`✓ configuration: ${file}, and from the environment`);
    expect(out).toContain("Invite link");
  });

  it("uses no gateway session, so that a start right afterwards waits for nothing", async () => {
    const { diagnose, sandbox } = await arrive();
    const { code, out } = await diagnose();
    const answer = await fetch(`${sandbox.api}/v10/gateway/bot`, {
      headers: { authorization: `Bot ${sandbox.token}` },
    });
    expect(await answer.json()).toMatchObject({ session_start_limit: { remaining: 1_000 } });
    expect(out).toContain("✓ gateway: 1000 sessions left today; this check uses none");
    expect(out).toContain("✓ intents: Message Content and Server Members are on");
    expect(out).toContain("✓ server Quay: reads 4 of the 4 channels that the bot sees; all 6 members are known");
    expect(code).toBe(0);
  });

  it("checks what signing in with Discord needs, where there is a public address", async () => {
    const { diagnose, sandbox } = await arrive();
    sandbox.admin.setRedirects(["https://earshot.invalid/oauth/callback"]);
    const [application] = sandbox.world.applications.values();
    const { code, out } = await diagnose({
      ...{ server: { publicUrl: "https://earshot.invalid" }, discord: { clientSecret: application?.clientSecret } },
    });
    expect(out).toContain("✗ public address: https://earshot.invalid cannot be reached");
    expect(out).toContain("OAuth2 → Redirects → add:\n    https://earshot.invalid/console/callback\n");
    expect(out).toContain("✓ client secret: Discord accepts it");
    expect(code).toBe(1);
  });

  it("confirms that every id in the configuration is known", async () => {
    const { diagnose, guild, id, sandbox } = await arrive();
    const { code, out } = await diagnose({
      policy: { channels: { deny: [id("news")] }, optOut: { people: [sandbox.as("mark").id] } },
      agent: { off: [guild, id("general")] },
    });
    expect(out).toContain("✓ ids in the configuration: all 4 are known");
    expect(code).toBe(0);
  });

  it("names ids that do not exist or are of another kind, wherever they stand", async () => {
    const { diagnose, guild, id } = await arrive();
    const grant = { guilds: [id("general")], channels: [NOTHING], actors: [NOTHING] };
    const { code, out } = await diagnose({
      policy: {
        guilds: { deny: [NOTHING] },
        channels: { deny: [NOTHING, guild] },
        roles: [{ guild, role: NOTHING, scopes: [] }],
        memory: {
          projects: [
            { name: "Fleet", guild, channels: [NOTHING] },
            { name: "Yard", guild: NOTHING, channels: [id("general")] },
          ],
        },
      },
      clients: [{ name: "brain", tokenSha256: "0".repeat(64), grant }],
      timeline: { diskChannels: [NOTHING] },
      agent: { off: [NOTHING], answersBots: [NOTHING] },
    });
    expect(code).toBe(1);
    for (const line of [
      `✗ policy.guilds.deny: ${NOTHING} is no server that the bot is in`,
      `✗ policy.channels.deny: ${NOTHING} is no channel that the bot knows; it was deleted`,
      `✗ policy.channels.deny: ${guild} is no channel that the bot knows; it is a server`,
      `✗ policy.roles: ${NOTHING} is no role of`,
      `✗ policy.memory.projects: ${NOTHING} is no channel that the bot knows; it was deleted`,
      `✗ policy.memory.projects: ${NOTHING} is no server that the bot is in`,
      `✗ policy.memory.projects: the channel ${id("general")} is in another server than ${NOTHING}`,
      `✗ guilds of the client brain: ${id("general")} is no server that the bot is in; it is a channel`,
      `✗ channels of the client brain: ${NOTHING} is no channel`,
      `! actors of the client brain: ${NOTHING} is in no server of the bot`,
      `✗ timeline.diskChannels: ${NOTHING} is no channel`,
      `✗ agent.off: ${NOTHING} is no server or channel`,
      `! agent.answersBots: ${NOTHING} is in no server of the bot`,
    ])
      expect(out).toContain(line);
  });

  it("asks the profile service about the bot alone, and says what is wrong with it", async () => {
    const { diagnose, guild } = await arrive();
    const { url, requests } = await openProfileServer();
    const fields = {
      title: { key: "title", visibility: { server: guild } },
      berth: { key: "berth", visibility: { channel: NOTHING } },
      city: { key: "city" },
    };
    const sound = await diagnose({ profiles: { url, fields } });
    expect(sound.out).toContain("✓ profiles: the service answers");
    expect(sound.out).toContain(`✗ visibility of profiles.fields.berth: ${NOTHING} is no channel`);
    expect(sound.out).not.toContain("profiles.fields.title");
    expect(requests).toHaveLength(1);
    const { code, out } = await diagnose({
      profiles: { url: url.replace(/:\d+/, ":1"), fields: { city: fields.city } },
    });
    expect(out).toContain("✗ profiles: The service cannot be reached, or broke the connection off.");
    expect(code).toBe(1);
    expect((await diagnose({})).out).not.toContain("profiles:");
  });

  it("gives no invite link for the sandbox, and leaves out nothing about a hidden channel", async () => {
    const { diagnose, id } = await arrive();
    const { out } = await diagnose({ policy: { optOut: { channels: [id("staff-room")] } } });
    expect(out).toContain("! policy.optOut.channels: the channel");
    expect(out).toContain("is hidden from the bot");
    const folder = await mkdtemp(join(tmpdir(), "earshot-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const embedded = await runCommand(["doctor"], { EARSHOT_SANDBOX_PORT: "1" }, folder);
    expect(embedded.out).toContain("✓ Discord: no token is set, so a sandbox started for this check");
    expect(embedded.out).not.toContain("Invite link");
    expect(embedded.out).toContain("all 42 members are known");
  });
});
