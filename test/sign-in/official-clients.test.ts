import { describe, expect, it } from "vitest";
import type { App } from "../../src/app/app.ts";
import { PlainBrowser } from "./browser.ts";
import { GENERATIONS, Keeper } from "./official-clients.ts";
import { openSigningIn, REDIRECT, toSignInSteps } from "./open-sign-in.ts";

const QUESTION = { query: "winch", limit: 10 };

/** The answer of the gate itself. */
async function hitsOf(app: App, person: string): Promise<unknown> {
  const { value } = await app.as(app.sandbox?.as(person).id ?? "", "private").call("search_messages", QUESTION);
  return (value as { hits: unknown }).hits;
}

describe.each(Object.entries(GENERATIONS))("%s, given nothing but the address", (_, connect) => {
  it("signs in as Sarah and as Mark, and each gets their own answer to the same question, exactly that of the gate", async () => {
    const { app, complaints } = await openSigningIn();
    const { reachPage, answerPage } = toSignInSteps(app.url);
    const answers: string[] = [];
    for (const person of ["sarah", "mark"]) {
      const signed = await connect(new URL(app.signInUrl ?? ""), new Keeper(REDIRECT), async (address) => {
        const page = await reachPage(address, person, new PlainBrowser());
        return (await answerPage(page)).url;
      });
      expect(await signed.tools()).toContain("search_messages");
      const { hits } = (await signed.call("search_messages", QUESTION)).structuredContent as { hits: unknown };
      expect(hits).toEqual(await hitsOf(app, person));
      answers.push(JSON.stringify(hits));
    }
    const secret = "winch test with 900 kg";
    expect(answers.map((answer) => answer.includes(secret))).toEqual([false, true]);
    expect(complaints).toEqual([]);
  });
});
