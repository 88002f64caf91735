import { validator } from "hono/validator";
import type { z } from "zod";
import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { ConsoleSession } from "./console-sessions.ts";

/** The Hono context of a console route. */
export type ConsoleEnv = { Variables: { session: ConsoleSession } };

interface SessionView {
  readonly version: string;
  readonly isOperator: boolean;
  /** The session belongs to a person, who can search and has facts. */
  readonly isPerson: boolean;
  /** Empty without a person. */
  readonly name: string;
  /** Earshot runs on its own sandbox, where the operator can choose which person to be. */
  readonly hasSandbox: boolean;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  readonly expiresAt: number;
}

export function viewSession(
  { actor, name, isOperator, openedAt, expiresAt }: ConsoleSession,
  { version, community }: { readonly version: string; readonly community: object | null },
): SessionView {
  return { version, hasSandbox: community !== null, isOperator, isPerson: actor !== null, name, openedAt, expiresAt };
}

/** The person of a session. Throws `forbidden` for an operator's session without a person. */
export function actorOf({ actor }: ConsoleSession): UserId {
  if (actor === null) throw new EarshotError("forbidden", "This is for a person.");
  return actor;
}

/** Validates the body of a request. Throws `invalid` if it does not match. */
export function accept<Shape>(schema: z.ZodType<Shape>) {
  return validator("json", (value: unknown): Shape => {
    const body = schema.safeParse(value);
    if (body.success) return body.data;
    throw new EarshotError("invalid", "The request does not have the shape that this version of Earshot expects.");
  });
}
