import type { World } from "../world/world.ts";
import type { FaultLine } from "./faults.ts";
import type { Pauses } from "./pauses.ts";
import type { Session } from "./session.ts";

export interface GatewayDeps {
  readonly world: World;
  readonly sessions: Map<string, Session>;
  readonly faults: FaultLine;
  readonly pauses: Pauses;
  readonly heartbeatMs: number;
  url(): string;
}
