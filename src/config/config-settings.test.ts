import { describe, expect, it } from "vitest";
import { toConfig } from "./config.ts";
import { listSettings } from "./config-settings.ts";

const NOTHING = { variables: [], file: {} };

describe("the settings in use", () => {
  it("tell where each value comes from, and which differ from the default", () => {
    const config = toConfig({ timeline: { megabytes: 64, maxAgeDays: 30 }, server: { port: 0 }, model: { name: "m" } });
    const given = { variables: ["EARSHOT_PORT"], file: { timeline: { megabytes: 64, maxAgeDays: 30 } } };
    const settings = new Map(listSettings(config, given).map((setting) => [setting.name, setting]));
    const pick = (name: string) => {
      const { value, from, isChanged } = settings.get(name) ?? {};
      return [value, from, isChanged];
    };
    expect(pick("timeline.megabytes")).toEqual(["64", "file", true]);
    expect(pick("timeline.maxAgeDays")).toEqual(["30", "file", false]);
    expect(pick("server.port")).toEqual(["0", "environment", true]);
    expect(pick("model.name")).toEqual(['"m"', "start", true]);
    expect(pick("logLevel")).toEqual(['"info"', "default", false]);
    expect(settings.get("model.cheapName")).toMatchObject({ isSet: false, value: null, from: "default" });
  });

  it("tell of secrets only that they are set, wherever they stand", () => {
    const config = toConfig({
      discord: { token: "hush.1.a", clientSecret: "hush9" },
      model: { apiKey: "hush2", baseUrl: "https://me:hush3@models.example/v1?key=hush4" },
      embedder: { apiKey: "hush5" },
      profiles: { token: "hush6" },
      database: { url: "postgres://me:hush7@db.example/earshot", keysSecret: "hush8 hush8 hush8" },
      clients: [{ name: "brain", tokenSha256: "ab".repeat(32), grant: { scopes: [], guilds: "all" } }],
    });
    const settings = listSettings(config, NOTHING);
    expect(JSON.stringify(settings)).not.toMatch(/hush|abab/);
    expect(settings.filter(({ isSecret }) => isSecret).map(({ name, isSet }) => [name, isSet])).toEqual([
      ["database.keysSecret", true],
      ["discord.clientSecret", true],
      ["discord.token", true],
      ["embedder.apiKey", true],
      ["model.apiKey", true],
      ["profiles.token", true],
    ]);
    expect(settings.find(({ name }) => name === "clients")?.value).toContain("brain");
    expect(settings.find(({ name }) => name === "model.baseUrl")?.value).toContain("https://models.example/v1");
    expect(settings.find(({ name }) => name === "database.url")?.value).toContain("postgres://db.example/earshot");
  });
});
