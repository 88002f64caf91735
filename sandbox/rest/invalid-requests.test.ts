import { expect, it } from "vitest";
import { createInvalidRequests } from "./invalid-requests.ts";

it("the sandbox blocks a client after ten thousand refused requests within ten minutes, until these are over", () => {
  let now = 0;
  const invalid = createInvalidRequests({ now: () => now });
  for (let count = 0; count < 9_999; count += 1) invalid.note(count % 2 ? 403 : 429);
  invalid.note(200);
  invalid.note(404);
  expect(invalid.ban()).toBeUndefined();
  now = 60_000;
  invalid.note(401);
  const banned = invalid.ban();
  expect([banned?.status, banned?.headers.get("retry-after")]).toEqual([429, "540"]);
  now = 600_000;
  expect(invalid.ban()).toBeUndefined();
});
