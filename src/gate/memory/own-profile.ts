import type { AudienceRef } from "../../domain/audience.ts";
import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Discord } from "../../ports/discord.ts";
import type { ProfileKey, ProfileSource, ProfileValue } from "../../ports/profile-source.ts";
import { areAllIn, isSubjectThere, toGuildId } from "../../sources/kinds/limits.ts";

/** The profile service's values about the person who asks. */
export interface OwnProfile {
  readonly fields: readonly OwnField[];
  readonly isUnavailable: boolean;
}

interface OwnField {
  readonly key: string;
  readonly value: ProfileValue;
  readonly audience: AudienceRef;
}

export interface OwnProfileDeps {
  readonly profiles: readonly ProfileSource[];
  readonly discord: Pick<Discord, "directory" | "botId">;
  isLeftOut(userId: UserId): boolean;
}

/** Only values that they may know, because the operator may reserve values about them for others. Without Discord's own data, which they
 * see in Discord. */
export async function readOwnProfile(
  person: UserId,
  deps: OwnProfileDeps,
  signal: AbortSignal | undefined,
): Promise<OwnProfile> {
  const query = { person, guildId: null };
  const fields: OwnField[] = [];
  let isUnavailable = false;
  for (const source of deps.profiles.filter(({ origin }) => origin === "service")) {
    const keys = await listHeard(source.keys(query), person, deps);
    if (keys.length === 0) continue;
    const values = await source.read(query, signal).catch((error: unknown) => {
      if (error instanceof EarshotError && error.code === "unavailable") return null;
      throw error;
    });
    isUnavailable ||= values === null;
    // They may have lost access to a channel, or left a server, meanwhile.
    for (const { key, audience } of keys.filter((one) => mayHear(one, person, deps))) {
      const value = values?.get(key);
      if (value !== undefined) fields.push({ key, value, audience });
    }
  }
  // They may have opted out meanwhile.
  return deps.isLeftOut(person) ? { fields: [], isUnavailable: false } : { fields, isUnavailable };
}

async function listHeard(
  keys: readonly ProfileKey[],
  person: UserId,
  deps: OwnProfileDeps,
): Promise<readonly ProfileKey[]> {
  const { directory } = deps.discord;
  const guildIds = new Set(keys.flatMap(({ audience }) => toGuildId(audience, directory) ?? []));
  // A person who cannot be looked up counts as absent.
  for (const guildId of guildIds) await directory.learnMember(person, guildId).catch(() => {});
  // Checked last, because they may have opted out meanwhile.
  return deps.isLeftOut(person) ? [] : keys.filter((key) => mayHear(key, person, deps));
}

function mayHear({ audience }: ProfileKey, person: UserId, { discord }: OwnProfileDeps): boolean {
  const { directory } = discord;
  const self = { kind: "people", people: new Set([person]) } as const;
  const isThere = isSubjectThere({ subjectId: person, guildId: toGuildId(audience, directory) }, directory);
  return isThere && areAllIn(self, [audience], discord);
}
