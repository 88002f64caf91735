import { toApiApplication } from "../../render/users.ts";
import { type BotRequest, openRoute, route } from "../route.ts";

const SESSION_STARTS = { total: 1000, remaining: 1000, reset_after: 86_400_000, max_concurrency: 1 };

export const applicationRoutes = [
  openRoute("GET", "/gateway", ({ gatewayUrl }) => ({ url: gatewayUrl() })),
  route("GET", "/gateway/bot", ({ gatewayUrl }) => ({
    url: gatewayUrl(),
    shards: 1,
    session_start_limit: SESSION_STARTS,
  })),
  route("GET", "/applications/@me", showApplication),
  route("GET", "/oauth2/applications/@me", showApplication),
];

function showApplication({ world, application }: BotRequest) {
  return toApiApplication(world, application);
}
