import { expect, it } from "vitest";
import { hashToken } from "./authenticate.ts";
import { grantSchema } from "./grant.ts";
import { LiveClients } from "./live-clients.ts";

const entry = (name: string, token: string, grant: object = {}) => ({
  name,
  tokenSha256: hashToken(token),
  grant: grantSchema.parse({ scopes: ["context:search"], ...grant }),
});

it("a client that was handed out has the grant of today, and none once it was removed", () => {
  const clients = new LiveClients([entry("brain", "one"), entry("other", "two")]);
  const brain = clients.authenticate("one");
  expect(brain).toMatchObject({ name: "brain", grant: { scopes: ["context:search"] } });
  expect(clients.replace([entry("brain", "one", { scopes: [] }), entry("other", "two")])).toEqual(["brain"]);
  expect(brain?.grant.scopes).toEqual([]);
  expect(clients.authenticate("one")).toBe(brain);
  expect(clients.replace([entry("other", "two")])).toEqual(["brain"]);
  expect(clients.authenticate("one")).toBeNull();
  expect(brain?.grant).toMatchObject({ scopes: [], guilds: [], actors: [], events: "none" });
});

it("what connected with an old token gets nothing of what the new one allows", () => {
  const clients = new LiveClients([entry("brain", "one")]);
  const old = clients.authenticate("one");
  expect(clients.replace([entry("brain", "new")])).toEqual(["brain"]);
  expect(clients.authenticate("one")).toBeNull();
  expect(old?.grant.scopes).toEqual([]);
  expect(clients.authenticate("new")?.grant.scopes).toEqual(["context:search"]);
  clients.replace([entry("brain", "one")]);
  expect(old?.grant.scopes).toEqual(["context:search"]);
});
