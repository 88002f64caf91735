import { Hono } from "hono";
import { z } from "zod";
import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { SignIns } from "../../policy/sign-ins.ts";
import { showName } from "../kit/show-name.ts";
import { accept, actorOf, type ConsoleEnv } from "./console-kit.ts";

/** A person's signed-in programs: lists and ends only their own. `signIns`: null if programs cannot be signed in. */
export function createProgramRoutes(signIns: Pick<SignIns, "list" | "end" | "endOf"> | null) {
  const mustSignIn = () => {
    if (signIns) return signIns;
    throw new EarshotError("not_found", "No program can be signed in here: there is no EARSHOT_PUBLIC_URL.");
  };
  const list = (person: UserId) => ({
    programs: mustSignIn()
      .list(person)
      .map(({ id, program, redirectHost, allowed, createdAt, usedAt, expiresAt }) => {
        return { id, name: showName(program), redirectHost, allowed, createdAt, usedAt, expiresAt };
      }),
  });
  return new Hono<ConsoleEnv>()
    .post("/console/me/programs/list", (c) => c.json(list(actorOf(c.var.session))))
    .post("/console/me/programs/end", accept(z.strictObject({ id: z.string().max(100).optional() })), async (c) => {
      const person = actorOf(c.var.session);
      const { id } = c.req.valid("json");
      // Without an id, ends all of them.
      await (id === undefined ? mustSignIn().endOf(person, "by_person") : mustSignIn().end(id, "by_person", person));
      return c.json(list(person));
    });
}
