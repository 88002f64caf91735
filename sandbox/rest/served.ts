import type { HttpBindings } from "@hono/node-server";
import type { World } from "../world/world.ts";
import type { createAnswerer } from "./answer-request.ts";

/** Each request is told which world it is for. */
export interface Served {
  Bindings: HttpBindings & { readonly world: World; readonly answer: ReturnType<typeof createAnswerer> };
}
