import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { statusSchema } from "../src/domain/status.ts";
import { openProgram } from "./discord-transport/open-privacy.ts";
import { openModelServer } from "./support/model-server.ts";

it("the program counts what its model uses, keeps the count over restarts, and tells people that it does", async () => {
  const bullet = () => "- The mast comes on Monday [m1]";
  const { url, requests } = await openModelServer([bullet]);
  const prices = { inputPricePerMillion: 1_000_000, outputPricePerMillion: 0 };
  const program = await openProgram(() => ({
    server: { port: 0 },
    model: { baseUrl: url, cheapName: "small", ...prices },
  }));
  const { sandbox, folder } = program;
  const spent = async () => {
    const access = JSON.parse(await readFile(join(folder, "operator-access.json"), "utf8")) as { token: string };
    const headers = { authorization: `Bearer ${access.token}` };
    const status = await (await fetch(`${program.url()}/status`, { headers })).json();
    return statusSchema.parse(status).model;
  };
  const nothing = { input_tokens: 0, output_tokens: 0, cost: 0 };
  expect(await spent()).toEqual({ last_failure: null, today: nothing, since_start: nothing });

  sandbox.as("mark").say("general", "the mast comes on Monday");
  const catchUp = async () =>
    program.answer(sandbox.as("sarah").run("catchup", { since: "1 hour" }, { in: "general" }));
  expect((await catchUp()).content).toContain("The mast comes on Monday");
  expect(requests).toHaveLength(1);
  const before = await spent();
  expect(before?.today.input_tokens).toBeGreaterThan(50);
  expect(before?.today.cost).toBe(before?.today.input_tokens);
  expect(before?.since_start).toEqual(before?.today);

  await program.restart();
  expect(await spent()).toEqual({ ...before, since_start: nothing });
  expect(await program.privacy("sarah", "show")).toContain("How many tokens of the model were used for you");
});
