import { describe, expect, it } from "vitest";
import { openApiChecker } from "./openapi.ts";

const check = openApiChecker();

describe.skipIf(!check)("the check against Discord's OpenAPI file (skipped where the file is absent)", () => {
  const exchange = { method: "GET", path: "/gateway", route: "/gateway", status: 200 };

  it("passes an answer as Discord describes it", () => {
    expect(check?.({ ...exchange, body: { url: "wss://gateway.discord.gg" } })).toEqual([]);
  });

  it("tells what is missing from an answer", () => {
    expect(check?.({ ...exchange, body: {} })?.[0]).toContain("required property 'url'");
  });

  it("tells of a route and of a status that Discord does not have", () => {
    expect(check?.({ ...exchange, route: "/nowhere", body: {} })).toEqual(["GET /nowhere is not a route of Discord's"]);
    expect(check?.({ ...exchange, status: 302, body: {} })).toEqual(["GET /gateway never answers 302"]);
  });

  it("refuses a body where none belongs", () => {
    const deleted = { method: "DELETE", path: "/", route: "/channels/{channel_id}/messages/{message_id}", status: 204 };
    expect(check?.({ ...deleted, body: {} })).toHaveLength(1);
    expect(check?.({ ...deleted, body: undefined })).toEqual([]);
  });
});

it("is absent without the file", () => {
  expect(openApiChecker("/no/such/file.json")).toBeUndefined();
});
