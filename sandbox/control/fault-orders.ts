import { z } from "zod";
import type { Faults } from "../faults/faults.ts";
import { GARBLED_KINDS } from "../faults/rest-faults.ts";

const count = z.int().min(1).max(1_000_000);
const status = z.int().min(200).max(599);
/** Codes with which a WebSocket can be closed; 1005 and 1006, for example, only ever stand for a missing one. */
const closeCode = z
  .int()
  .min(1000)
  .max(4999)
  .refine((code) => code >= 3000 || (code <= 1014 && ![1004, 1005, 1006].includes(code)));
const milliseconds = z.int().min(0).max(600_000);
/** Part of a line such as `POST /channels/1/messages`. */
const requests = { match: z.string().min(1).max(500).optional(), times: count.optional() };

const order = <Name extends string, Shape extends z.ZodRawShape>(fault: Name, shape: Shape) =>
  z.strictObject({ fault: z.literal(fault), ...shape });

/** One fault of the sandbox, by name, with its settings. */
export const faultOrder = z.discriminatedUnion("fault", [
  order("fail_rest", { status, after: z.boolean().optional(), ...requests }),
  order("slow_rest", { ms: milliseconds, ...requests }),
  order("rate_limit_rest", {
    retry_after: z.number().min(0).max(3_600).optional(),
    global: z.boolean().optional(),
    ...requests,
  }),
  order("garble_rest", { as: z.enum(GARBLED_KINDS), ...requests }),
  order("hang_up_rest", { after: z.boolean().optional(), ...requests }),
  order("cut_socket", { code: closeCode.optional() }),
  order("refuse_connections", { code: closeCode.optional(), status: status.optional(), times: count.optional() }),
  order("refuse_resume", { times: count.optional() }),
  order("lose_events", { times: count.optional(), type: z.string().min(1).max(100).optional() }),
  order("duplicate_events", { times: count.optional() }),
  order("reorder_events", { times: count.optional() }),
  order("delay_events", { ms: milliseconds }),
  order("ask_reconnect", {}),
  order("invalidate_session", { resumable: z.boolean().optional() }),
  order("mute_heartbeats", { times: count.optional() }),
  order("go_silent", {}),
  order("clear", {}),
]);

type FaultOrder = z.output<typeof faultOrder>;

const ORDERS: {
  readonly [Name in FaultOrder["fault"]]: (faults: Faults, order: Extract<FaultOrder, { fault: Name }>) => void;
} = {
  fail_rest: (faults, order) => faults.failRest(defined(order)),
  slow_rest: (faults, order) => faults.slowRest(defined(order)),
  rate_limit_rest: (faults, { retry_after: retryAfter, ...order }) =>
    faults.stormRest(defined({ ...order, retryAfter })),
  garble_rest: (faults, order) => faults.garbleRest(defined(order)),
  hang_up_rest: (faults, order) => faults.hangUpRest(defined(order)),
  cut_socket: (faults, { code }) => faults.cutSocket(code),
  refuse_connections: (faults, { code, status: httpStatus = 503, times }) =>
    faults.refuseConnections(code === undefined ? { status: httpStatus } : { code }, times),
  refuse_resume: (faults, { times }) => faults.refuseResume(times),
  lose_events: (faults, { type, times = 1 }) =>
    type === undefined ? faults.loseEvents(times) : faults.loseEvents((event) => event.type === type, times),
  duplicate_events: (faults, { times = 1 }) => faults.duplicateEvents(times),
  reorder_events: (faults, { times = 1 }) => faults.reorderEvents(times),
  delay_events: (faults, { ms }) => faults.delayEvents(ms),
  ask_reconnect: (faults) => faults.askReconnect(),
  invalidate_session: (faults, { resumable }) => faults.invalidateSession(resumable),
  mute_heartbeats: (faults, { times }) => faults.muteHeartbeatAcks(times),
  go_silent: (faults) => faults.goSilent(),
  clear: (faults) => faults.clear(),
};

export function orderFault(faults: Faults, request: FaultOrder): void {
  const order = ORDERS[request.fault] as (faults: Faults, request: FaultOrder) => void;
  order(faults, request);
}

/** Without the fields that were not given. */
function defined<Given extends object>(given: Given): { [Key in keyof Given]: Exclude<Given[Key], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}
