import { z } from "zod";
import type { Admin } from "../driver/admin.ts";
import type { Names } from "../driver/names.ts";
import type { Person } from "../driver/person.ts";
import type { Faults } from "../faults/faults.ts";
import type { World } from "../world/world.ts";

/** The sandbox as the control API sees it. */
export interface ControlDeps {
  readonly world: World;
  readonly names: Names;
  readonly admin: Admin;
  readonly faults: Faults;
  as(name: string): Person;
  /** Moves the clock forward; returns the new time. */
  advanceTime(ms: number): number;
  /** Puts everything back as it was at the start, except registered commands. */
  reset(): void;
  /** Aborted when the sandbox is reset or closed. */
  readonly signal: AbortSignal;
}

export interface ControlAction {
  readonly request: z.ZodType;
  run(request: unknown, deps: ControlDeps): object | Promise<object>;
}

/** Actions by name: each is posted to `/sandbox/<name>`, with its body. */
export type ControlActions = Readonly<Record<string, ControlAction>>;

export const name = z.string().min(1).max(100);
export const text = z.string().min(1).max(4_000);
export const timeoutMs = z.int().min(1).max(60_000);

export function action<Schema extends z.ZodType>(
  request: Schema,
  run: (request: z.output<Schema>, deps: ControlDeps) => object | Promise<object>,
): ControlAction {
  return { request, run: (parsed, deps) => run(parsed as z.output<Schema>, deps) };
}
