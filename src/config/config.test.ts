import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeSettings, readConfig, toConfig } from "./config.ts";
import { CONFIG_FILE, CONFIG_FILES } from "./config-file.ts";
import { ENVIRONMENT } from "./environment.ts";

describe("readConfig", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "earshot-config-"));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const writeConfig = (value: unknown) =>
    writeFile(join(folder, CONFIG_FILE), typeof value === "string" ? value : JSON.stringify(value));

  it("takes folders of documents with one audience each, and no two with the same name or folder", async () => {
    const entry = (name: string, at: string, audience: object) => ({ name, folder: at, audience });
    const problem = async (...documents: object[]) => {
      await writeConfig({ documents });
      return readConfig({}, folder).then(
        () => null,
        (error: Error) => error.message,
      );
    };
    const [server, channel, role] = ["1", "2", "3"];
    expect(await problem(entry("a", "x", { server, role }), entry("b", "y", { channel }))).toBeNull();
    for (const audience of [{}, { role }, { server, channel }, { channel, role }])
      expect(await problem(entry("a", "x", audience))).toContain("documents.0.audience");
    expect(await problem(entry("a", "x", { server }), entry("a", "y", { server }))).toContain("the same name");
    expect(await problem(entry("a", "x", { server }), entry("b", "./x/", { server }))).toContain("the same folder");
    expect(await problem(entry("a\nb", "x", { server }))).toContain("documents.0.name");
  });

  it("has sensible defaults", async () => {
    expect(await readConfig({}, folder)).toMatchObject({
      discord: { api: "https://discord.com/api", web: "https://discord.com" },
      features: { members: true, messageContent: true, reactions: true, directMessages: true },
      sandbox: { port: 7788 },
      logLevel: "info",
    });
  });

  it("reads the file, and lets the environment override it", async () => {
    await writeConfig({ sandbox: { port: 1000, talkEverySeconds: 9 }, features: { members: false } });
    const config = await readConfig({ EARSHOT_SANDBOX_PORT: "2000", EARSHOT_MESSAGE_CONTENT: "off" }, folder);
    expect(config.sandbox).toEqual({ port: 2000, talkEverySeconds: 9 });
    expect(config.features).toMatchObject({ members: false, messageContent: false });
  });

  it("has a context of 4,096 tokens and no prices for a model, unless they are set", async () => {
    const plain = await readConfig({}, folder);
    expect(plain.model).toEqual({ baseUrl: "http://127.0.0.1:11434/v1", contextTokens: 4_096 });
    await writeConfig({ model: { inputPricePerMillion: 0, outputPricePerMillion: 1.5 } });
    const { model } = await readConfig({ EARSHOT_MODEL_CONTEXT_TOKENS: "32768" }, folder);
    expect(model).toMatchObject({ contextTokens: 32_768, inputPricePerMillion: 0, outputPricePerMillion: 1.5 });
    const wrong = {
      EARSHOT_MODEL_CONTEXT_TOKENS: "2047",
      EARSHOT_MODEL_INPUT_PRICE: "-1",
      EARSHOT_MODEL_OUTPUT_PRICE: "much",
    };
    const message = await readConfig(wrong, folder).then(String, (error: Error) => error.message);
    expect(message).toContain("3 problems");
    for (const name of Object.keys(wrong)) expect(message).toContain(name);
  });

  it("has no profile service unless one is set, and takes its token from the environment", async () => {
    expect((await readConfig({}, folder)).profiles).toEqual({ fields: {} });
    const fields = { "work.title": { key: "title", visibility: { server: "7" } }, city: { key: "city" } };
    await writeConfig({ profiles: { fields } });
    const url = "https://people.example/v1/{user_id}?full=1";
    const { profiles } = await readConfig({ EARSHOT_PROFILE_URL: url, EARSHOT_PROFILE_TOKEN: "canary" }, folder);
    expect(profiles).toEqual({
      url,
      token: "canary",
      fields: {
        "work.title": { key: "title", visibility: { server: "7" } },
        city: { key: "city", visibility: "private" },
      },
    });
  });

  it.each([
    "http://people.example/{user_id}",
    "https://people.example/",
    "https://people.example/{user_id}/{user_id}",
    "https://{user_id}.example/",
    "https://people.example{user_id}/",
    "https://people.example:4{user_id}/",
    "https://people.example\\{user_id}/",
    "https://sam:secret@people.example/{user_id}",
    "https://people.example/#{user_id}",
    "file:///{user_id}",
    "{user_id}",
  ])("refuses %s as the address of a profile service", async (url) => {
    await writeConfig({ profiles: { url, fields: { city: { key: "city" } } } });
    const message = await readConfig({}, folder).then(String, (error: Error) => error.message);
    expect(message).toContain("profiles.url");
    expect(message).not.toContain("secret");
  });

  it.each<[string, object, string]>([
    ["without an address", { fields: { city: { key: "city" } } }, "profiles.url"],
    ["without fields", { url: "https://people.example/{user_id}" }, "at least one field"],
    ["with two fields of one key", { a: { key: "City" }, b: { key: "city " } }, "key"],
    ["with a key that Discord answers", { a: { key: "Roles" } }, "which Discord itself answers"],
    ["with a path that cannot be one", { "a..b": { key: "city" } }, "path"],
    ["with a visibility that is none", { a: { key: "city", visibility: "everybody" } }, "visibility"],
    ["with a role as visibility", { a: { key: "city", visibility: { role: "7" } } }, "visibility"],
    ["with a key of two lines", { a: { key: "city\nx" } }, "key"],
  ])("refuses profiles %s", async (_, settings, words) => {
    const isWhole = "fields" in settings || "url" in settings;
    const profiles = isWhole ? settings : { url: "http://127.0.0.1:9/{user_id}", fields: settings };
    await writeConfig({ profiles });
    const message = await readConfig({}, folder).then(String, (error: Error) => error.message);
    expect(message).toContain(words);
    expect(message).toContain("profiles");
  });

  it("refuses a token for the profile service that could not be sent, and does not repeat it", async () => {
    await writeConfig({ profiles: { url: "https://people.example/{user_id}", fields: { city: { key: "city" } } } });
    const reading = readConfig({ EARSHOT_PROFILE_TOKEN: "canary\r\nx: y" }, folder);
    const message = await reading.then(String, (error: Error) => error.message);
    expect(message).toContain("EARSHOT_PROFILE_TOKEN");
    expect(message).not.toContain("canary");
  });

  it("reports all problems at once, each with its setting", async () => {
    await writeConfig({ sandbox: { port: "x", speed: 1 }, colour: "red" });
    const reading = readConfig(
      {
        EARSHOT_MEMBERS: "perhaps",
        EARSHOT_LOG_LEVEL: "loud",
        EARSHOT_TYPO: "1",
        EARSHOT_DISCORD_API: "http://example.com",
      },
      folder,
    );
    const message = await reading.then(String, (error: Error) => error.message);
    expect(message.split("\n").sort()).toEqual(
      [
        "The configuration has 7 problems:",
        "  - There is no setting EARSHOT_TYPO; earshot --help lists them.",
        "  - EARSHOT_DISCORD_API must be an address that begins with https:// (plain http:// only on this machine, or the token would travel unprotected).",
        "  - EARSHOT_MEMBERS must be true or false.",
        `  - sandbox.port in ${CONFIG_FILE} must be a port number, 0 to 65535.`,
        `  - There is no setting sandbox.speed; remove it from ${CONFIG_FILE}.`,
        "  - EARSHOT_LOG_LEVEL must be one of debug, info, warn, error, silent.",
        `  - There is no setting colour; remove it from ${CONFIG_FILE}.`,
      ].sort(),
    );
  });

  it.each(CONFIG_FILES)("reads comments and commas before a closing bracket in %s", async (name) => {
    const text = `// A note
{
  /* "logLevel": "debug", */
  "dataDir": "a//b", // and one more
  "agent": { "off": ["5",], },
}`;
    await writeFile(join(folder, name), text);
    expect(await readConfig({}, folder)).toMatchObject({ dataDir: "a//b", logLevel: "info", agent: { off: ["5"] } });
  });

  it("refuses two configuration files in one folder, because nobody could say which one holds", async () => {
    for (const name of CONFIG_FILES) await writeFile(join(folder, name), "{}");
    await expect(readConfig({}, folder)).rejects.toMatchObject({
      code: "misconfigured",
      message: expect.stringContaining("earshot.config.jsonc and earshot.config.json both exist"),
    });
  });

  it.each([
    ["a comment that does not end", '{\n  "logLevel": "info" /* why\n}', "line 2, column 22"],
    ["a comment of another language", '{\n  "logLevel": "info" # why\n}', "line 2, column 22"],
    ["a value without quotes", '{\n  "dataDir": secret,\n  "logLevel": "info"\n}', "line 2, column 14"],
    ["a comma too many", '{\n  "dataDir": "secret",\n  , "logLevel": "info"\n}', "line 3, column 3"],
    ["text behind the end", '{}\n\n"secret"', "line 3, column 1"],
  ])("says in which line a file has %s, and does not repeat it", async (_, text, where) => {
    await writeConfig(text);
    const message = await readConfig({}, folder).then(String, (error: Error) => error.message);
    expect(message).toContain(`${CONFIG_FILE} is not valid JSON; look at ${where}.`);
    expect(message).not.toMatch(/why|secret/);
  });

  it.each(["abc.d-e_f", '  "abc.d-e_f"\n', "Bot abc.d-e_f", "'bot  abc.d-e_f'", "`abc.d-e_f`\u00a0"])(
    "takes the bot token from %j, as it was pasted",
    async (pasted) => {
      expect((await readConfig({ EARSHOT_DISCORD_TOKEN: pasted }, folder)).discord.token).toBe("abc.d-e_f");
      await writeFile(join(folder, "secret"), pasted);
      expect((await readConfig({ EARSHOT_DISCORD_TOKEN_FILE: "secret" }, folder)).discord.token).toBe("abc.d-e_f");
    },
  );

  it("refuses a bot token that no request could carry, and does not repeat it", async () => {
    for (const token of ["canary canary", "canary\ncanary", "canäry", '""']) {
      const message = await readConfig({ EARSHOT_DISCORD_TOKEN: token }, folder).then(String, (e: Error) => e.message);
      expect(message).toContain("EARSHOT_DISCORD_TOKEN must be a bot token");
      expect(message).not.toMatch(/canary|canäry/);
    }
  });

  it("reads the token from a file of its own, beside the configuration, unless the token itself is set", async () => {
    await writeConfig({ discord: { tokenFile: "earshot.token" } });
    await expect(readConfig({}, folder)).rejects.toThrow(`${join(folder, "earshot.token")} cannot be read`);
    await writeFile(join(folder, "earshot.token"), " \n");
    await expect(readConfig({}, folder)).rejects.toThrow(`${join(folder, "earshot.token")} holds no bot token`);
    await writeFile(join(folder, "earshot.token"), "abc.def\n");
    expect((await readConfig({}, folder)).discord.token).toBe("abc.def");
    expect((await readConfig({ EARSHOT_DISCORD_TOKEN: "other" }, folder)).discord.token).toBe("other");
    expect(toConfig({ discord: { tokenFile: join(folder, "earshot.token") } }).discord.token).toBe("abc.def");
  });

  it.each(["{", "[]", '"x"'])("refuses a file with the content %s", async (text) => {
    await writeConfig(text);
    await expect(readConfig({}, folder)).rejects.toMatchObject({ code: "misconfigured" });
  });

  it.each([
    ["100", "must be a whole number from 2,048 to 2,000,000"],
    ["many", "must be a number"],
  ])("says of a number that is %s what it must be", async (value, expected) => {
    await expect(readConfig({ EARSHOT_MODEL_CONTEXT_TOKENS: value }, folder)).rejects.toThrow(expected);
  });

  it("never repeats a value in an error, since it might be a secret", async () => {
    const secret = "MTIz.secret.token";
    await writeConfig({ discord: { token: [secret], api: secret } });
    const message = await readConfig({ EARSHOT_LOG_LEVEL: secret, EARSHOT_SANDBOX_PORT: secret }, folder).then(
      String,
      (error: Error) => error.message,
    );
    expect(message).toContain("4 problems");
    expect(message).not.toContain("secret");
  });

  it("accepts plain http only on this machine", async () => {
    await expect(readConfig({ EARSHOT_DISCORD_API: "http://127.0.0.1:1/api" }, folder)).resolves.toBeDefined();
    await expect(readConfig({ EARSHOT_DISCORD_API: "http://127.0.0.1.example.com/api" }, folder)).rejects.toThrow(
      "https://",
    );
    await expect(readConfig({ EARSHOT_DISCORD_API: "ftp://127.0.0.1/api" }, folder)).rejects.toThrow("https://");
  });

  it("refuses to listen beyond this machine without clients that have tokens", async () => {
    const reading = () => readConfig({ EARSHOT_HOST: "0.0.0.0" }, folder);
    await expect(reading()).rejects.toThrow("needs at least one client with a token");
    await writeConfig({
      clients: [{ name: "brain", tokenSha256: "0".repeat(64), grant: { scopes: ["directory:read"] } }],
    });
    const { server, clients } = await reading();
    expect(server.host).toBe("0.0.0.0");
    expect(clients[0]?.grant).toEqual({
      scopes: ["directory:read"],
      guilds: [],
      channels: "all",
      directMessages: false,
      events: "addressed",
      actors: [],
      answers: false,
      mentions: false,
      confined: false,
      confirm: false,
      elicitation: false,
    });
  });

  it("takes a public address for people's sign-ins, with a bot of one's own and its secret, and repeats neither", async () => {
    const url = "https://earshot.example.org";
    const all = {
      EARSHOT_PUBLIC_URL: `${url}/`,
      EARSHOT_DISCORD_CLIENT_SECRET: " very-secret ",
      EARSHOT_DISCORD_TOKEN: "a.b.c",
    };
    const config = await readConfig({ ...all, EARSHOT_HOST: "0.0.0.0" }, folder);
    expect(config.server).toEqual({ host: "0.0.0.0", port: 7790, publicUrl: url, trustedProxies: [] });
    expect(config.discord.clientSecret).toBe("very-secret");
    const problem = (change: NodeJS.ProcessEnv) =>
      readConfig({ ...all, ...change }, folder).then(
        () => "none",
        (error: Error) => error.message,
      );
    for (const wrong of [
      "http://earshot.example.org",
      "https://127.0.0.1",
      "https://localhost:8443",
      `${url}/mcp`,
      `${url}/?a=b`,
      "https://a:very-secret@b.example",
      "earshot",
    ]) {
      const message = await problem({ EARSHOT_PUBLIC_URL: wrong });
      expect(message).toContain("EARSHOT_PUBLIC_URL must be an https address without a path");
      expect(message).not.toContain("very-secret");
    }
    expect(await problem({ EARSHOT_DISCORD_CLIENT_SECRET: "" })).toContain(
      "discord.clientSecret in earshot.config.jsonc: is missing",
    );
    expect(await problem({ EARSHOT_DISCORD_TOKEN: "" })).toContain("anyone can sign in as anyone");
  });

  it("takes IP addresses and networks as trusted proxies, and nothing else", async () => {
    const trustedProxies = ["127.0.0.1", "10.0.0.0/8", "::1", "fd00::/8"];
    await writeConfig({ server: { trustedProxies } });
    expect((await readConfig({}, folder)).server.trustedProxies).toEqual(trustedProxies);
    for (const wrong of ["proxy.example", "10.0.0.0/33", "10.0.0.0/8/8", "10.0.0.0/", ""]) {
      await writeConfig({ server: { trustedProxies: [wrong] } });
      await expect(readConfig({}, folder)).rejects.toThrow("server.trustedProxies.0");
    }
  });

  it("refuses a client with a mistake in it, and says where the mistake is", async () => {
    const client = { name: "brain", tokenSha256: "0".repeat(64), grant: {} };
    await writeConfig({
      clients: [
        { ...client, tokenSha256: "secret-token" },
        { ...client, grant: { scopes: ["everything"], powers: 1 } },
      ],
    });
    const message = await readConfig({}, folder).then(String, (error: Error) => error.message);
    expect(message).toContain(
      'clients.0.tokenSha256 in earshot.config.jsonc must be the SHA-256 of a token, as "earshot token" prints it.',
    );
    expect(message).toContain("clients.1.grant.scopes.0");
    expect(message).toContain("clients.1.grant.powers");
    expect(message).not.toContain("secret-token");
    await writeConfig({ clients: [client, client] });
    await expect(readConfig({}, folder)).rejects.toThrow("two clients have the same name");
  });

  it("gives an embedder only where one is configured", async () => {
    expect((await readConfig({}, folder)).embedder).toEqual({});
    await writeConfig({ embedder: { name: "small", apiKey: "abc" } });
    const env = { EARSHOT_EMBEDDER: "nomic-embed-text", EARSHOT_EMBEDDER_URL: "https://vectors.example/v1" };
    expect((await readConfig(env, folder)).embedder).toEqual({
      baseUrl: "https://vectors.example/v1",
      apiKey: "abc",
      name: "nomic-embed-text",
    });
    await expect(readConfig({ EARSHOT_EMBEDDER_URL: "http://vectors.example/v1" }, folder)).rejects.toThrow("https://");
  });

  it("limits what a model may use unless told otherwise, and has no prices of its own", async () => {
    const { agent, model } = await readConfig({}, folder);
    expect(agent).toMatchObject({
      tokensPerAnswer: 20_000,
      tokensPerPersonHour: 100_000,
      tokensPerServerDay: 1_000_000,
      tokensPerClientDay: 500_000,
    });
    expect([model.inputPricePerMillion, model.outputPricePerMillion]).toEqual([undefined, undefined]);
    const env = { EARSHOT_TOKENS_PER_ANSWER: "0", EARSHOT_MODEL_INPUT_PRICE: "0.15" };
    expect(await readConfig(env, folder)).toMatchObject({
      agent: { tokensPerAnswer: 0 },
      model: { inputPricePerMillion: 0.15 },
    });
    for (const tokens of ["-1", "1.5", "many", "1e12"])
      await expect(readConfig({ EARSHOT_TOKENS_PER_SERVER_DAY: tokens }, folder)).rejects.toThrow(
        "EARSHOT_TOKENS_PER_SERVER_DAY",
      );
  });

  it("takes a database of PostgreSQL only with a secret for the keys, and repeats neither", async () => {
    const url = "postgres://earshot:hidden@db.example/earshot";
    const withSecret = { EARSHOT_DATABASE_URL: url, EARSHOT_KEYS_SECRET: "sixteen characters" };
    expect((await readConfig(withSecret, folder)).database).toEqual({ url, keysSecret: "sixteen characters" });
    await writeFile(join(folder, "secret"), "another one of sixteen\n");
    const { database } = await readConfig({ EARSHOT_DATABASE_URL: url, EARSHOT_KEYS_SECRET_FILE: "secret" }, folder);
    expect(database.keysSecret).toBe("another one of sixteen");
    const refused = [
      [{ EARSHOT_DATABASE_URL: url }, "EARSHOT_KEYS_SECRET"],
      [{ EARSHOT_KEYS_DATABASE_URL: url }, "there is an address for keys"],
      [{ ...withSecret, EARSHOT_KEYS_SECRET: "hidden" }, "at least 16 characters"],
      ...["hidden", "mysql://hidden@db/x", "postgres://hidden@db"].map((EARSHOT_DATABASE_URL) => [
        { ...withSecret, EARSHOT_DATABASE_URL },
        "EARSHOT_DATABASE_URL must be an address such as postgres://",
      ]),
    ] as [NodeJS.ProcessEnv, string][];
    for (const [env, words] of refused) {
      const problem = await readConfig(env, folder).catch((error: Error) => error.message);
      expect(problem).toContain(words);
      expect(problem).not.toContain("hidden");
    }
  });

  it("explains every setting", () => {
    const lines = describeSettings();
    expect(lines).toHaveLength(Object.keys(ENVIRONMENT).length);
    for (const line of lines) expect(line).toMatch(/^ {2}(EARSHOT|ENABLE)_[A-Z_]+ +\S.{10,}/);
  });
});

describe("the policy in the configuration", () => {
  it("is open by default, is read from file and environment, and is refused where it makes no sense", async () => {
    const folder = await mkdtemp(join(tmpdir(), "earshot-config-"));
    const write = (config: object) => writeFile(join(folder, CONFIG_FILE), JSON.stringify(config));
    expect((await readConfig({}, folder)).policy).toMatchObject({ searchTools: true, directMessages: true, roles: [] });
    await write({ policy: { guilds: { deny: ["5"] }, limits: { callsPerMinute: { actor: 7 } } } });
    const { policy } = await readConfig({ ENABLE_DISCORD_SEARCH_TOOLS: "0" }, folder);
    expect(policy).toMatchObject({ searchTools: false, guilds: { allow: "all", deny: ["5"] } });
    expect(policy.limits.callsPerMinute).toEqual({ actor: 7 });
    const grant = { confirm: true, scopes: ["discord:send"] };
    await write({ clients: [{ name: "x", tokenSha256: "0".repeat(64), grant }] });
    await expect(readConfig({}, folder)).rejects.toThrow("an agent could confirm itself");
    await write({ timeZone: "Middle/Earth" });
    await expect(readConfig({}, folder)).rejects.toThrow("must be the name of a time zone");
    await rm(folder, { recursive: true });
  });
});
