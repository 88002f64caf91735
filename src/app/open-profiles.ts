import type { Config } from "../config/config.ts";
import type { Clock } from "../ports/clock.ts";
import type { Directory } from "../ports/directory.ts";
import type { Log } from "../ports/log.ts";
import type { ProfileSource, ProfileStats } from "../ports/profile-source.ts";
import { DiscordProfile } from "../profiles/discord-profile.ts";
import { HttpProfile } from "../profiles/http-profile.ts";

export interface Profiles {
  readonly sources: readonly ProfileSource[];
  /** Null where no service is configured. */
  readonly stats: (() => ProfileStats) | null;
  close(): void;
}

interface ProfileDeps {
  readonly directory: Directory;
  readonly clock: Clock;
  readonly log: Log;
}

/** Who says something about people with authority: Discord, and the operator's own service. */
export function openProfiles(config: Pick<Config, "profiles">, { directory, ...deps }: ProfileDeps): Profiles {
  const service = openProfileService(config, deps);
  return {
    sources: [new DiscordProfile(directory), ...(service ? [service] : [])],
    stats: service && (() => service.stats()),
    close: () => service?.close(),
  };
}

/** Null where none is configured. */
export function openProfileService(
  { profiles: { url, token, fields } }: Pick<Config, "profiles">,
  deps: Omit<ProfileDeps, "directory">,
): HttpProfile | null {
  if (url === undefined) return null;
  const paths = Object.entries(fields).map(([path, field]) => ({ path: path.split("."), ...field }));
  return new HttpProfile({ url, fields: paths, ...(token !== undefined && { token }) }, deps);
}
