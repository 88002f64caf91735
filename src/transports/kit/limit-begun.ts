import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { EarshotError } from "../../domain/errors.ts";
import { HourlyLimit } from "../../policy/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import { toClientAddress } from "./client-address.ts";

/** Per subscriber and hour: registrations of programs, and sign-ins. */
const MAX_BEGUN_PER_HOUR = 120;

/** Counts a request. Throws `rate_limited` if its address begins too many. */
export type NoteBegun = (incoming: IncomingMessage) => void;

export function limitBegun(clock: Clock, trustedProxies: readonly string[]): NoteBegun {
  const begun = new HourlyLimit(MAX_BEGUN_PER_HOUR, clock);
  return (incoming) => {
    const address = toSubscriber(toClientAddress(incoming, trustedProxies));
    const retryAfter = begun.waitFor(address);
    const problem = "Too many sign-ins were begun from this address; try again later.";
    if (retryAfter > 0) throw new EarshotError("rate_limited", problem, { retryAfter });
    begun.note(address);
  };
}

/** For IPv6 the 64-bit network: a subscriber holds all addresses of it. */
function toSubscriber(address: string): string {
  if (isIP(address) !== 6) return address;
  const [before = [], after = []] = address.split("::").map((part) => part.split(":").filter((group) => group !== ""));
  const groups = [...before, ...Array(8 - before.length - after.length).fill("0"), ...after];
  return groups.slice(0, 4).join(":");
}
