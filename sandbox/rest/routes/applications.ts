import { toApiApplication } from "../../render/users.ts";
import type { ApplicationRecord } from "../../world/records.ts";
import { type BotRequest, openRoute, route } from "../route.ts";

const SESSION_STARTS = { total: 1000, max_concurrency: 1 };
const DAY_MS = 86_400_000;

export const applicationRoutes = [
  openRoute("GET", "/gateway", ({ gatewayUrl }) => ({ url: gatewayUrl() })),
  route("GET", "/gateway/bot", ({ world, application, gatewayUrl }) => ({
    url: gatewayUrl(),
    shards: 1,
    session_start_limit: countSessionStarts(application, world.clock.now()),
  })),
  route("GET", "/applications/@me", showApplication),
  route("GET", "/oauth2/applications/@me", showApplication),
];

function countSessionStarts({ identifiedAt }: ApplicationRecord, now: number) {
  const today = identifiedAt.filter((at) => now - at < DAY_MS);
  const resetAfter = Math.max(0, (today[0] ?? now) + DAY_MS - now);
  return { ...SESSION_STARTS, remaining: Math.max(0, SESSION_STARTS.total - today.length), reset_after: resetAfter };
}

function showApplication({ world, application }: BotRequest) {
  return toApiApplication(world, application);
}
