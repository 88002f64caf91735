import { describe, expect, it, onTestFinished } from "vitest";
import { connectEarshot } from "../../src/client/index.ts";
import type { GuildId, UserId } from "../../src/domain/ids.ts";
import type { Grant } from "../../src/policy/grant.ts";
import { openFullRpc } from "../support/full-rpc.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function arrive(nicknames: Readonly<Record<string, string>> = { mei: "José 🛶" }) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  for (const [key, nick] of Object.entries(nicknames)) {
    const member = sandbox.community.guild.members.get(sandbox.as(key).id);
    if (member) member.nick = nick;
  }
  const rpc = await openFullRpc(sandbox);
  let clients = 0;
  /** For whom an operation is opened, or why none is. */
  const open = async (actor: string, grant: Partial<Grant> = {}) => {
    clients += 1;
    const client = await connectEarshot({ url: rpc.url, token: rpc.token(`brain-${clients}`, grant) });
    onTestFinished(() => client.close());
    try {
      const opened = await client.call("operation.open", { actor, private: true });
      return rpc.operations.find(opened.operation_id, { name: `brain-${clients}` } as never).actor;
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      return { code, message };
    }
  };
  return { open, id: (key: string) => sandbox.as(key).id as UserId };
}

describe("operation.open for a person by name", () => {
  it("takes nicknames and usernames in any case, without accents and decoration", async () => {
    const { open, id } = await arrive();
    expect(await open("José 🛶")).toBe(id("mei"));
    expect(await open("MARK")).toBe(id("mark"));
    expect(await open("@mark")).toBe(id("mark"));
    expect(await open("jose")).toBe(id("mei"));
    expect(await open(id("mark"))).toBe(id("mark"));
  });

  it("lists those who are called alike, and only those for whom the client may act", async () => {
    const { open, id } = await arrive({ mark: "Captain", sarah: "captain", olga: "Captáin" });
    const several = await open("captain");
    expect(several).toMatchObject({ code: "invalid", message: expect.stringContaining("more than one person") });
    const some = await open("captain", { actors: [id("mark"), id("sarah")] });
    expect(JSON.stringify(some)).toContain(id("mark"));
    expect(JSON.stringify(some)).toContain(id("sarah"));
    expect(JSON.stringify(some)).not.toContain(id("olga"));
    expect(await open("captain", { actors: [id("mark")] })).toBe(id("mark"));
  });

  it("answers the same for a name that nobody has and for one of somebody for whom the client may not act", async () => {
    const { open, id } = await arrive();
    const grants: Partial<Grant>[] = [{ actors: [id("sarah")] }, { guilds: ["1028328909302661199" as GuildId] }];
    for (const grant of grants) {
      const [mark, nobody] = [await open("mark", grant), await open("kram", grant)];
      expect(mark).toMatchObject({ code: "not_found" });
      expect(JSON.stringify(mark).replaceAll("mark", "kram")).toBe(JSON.stringify(nobody));
    }
  });
});
