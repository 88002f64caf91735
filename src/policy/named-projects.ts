import type { AudienceRef } from "../domain/audience-ref.ts";
import type { Fact } from "../domain/memory/fact.ts";
import type { Directory } from "../ports/directory.ts";
import { locateChannel } from "./apply-rules.ts";
import type { Rules } from "./rules.ts";

/**
 * What the operator calls the project to which a channel belongs; null where it has no name. The nearest entry counts: one for the channel itself before
 * one for its category. Those who may hear a fact of the project are members of its server, and so may know the name.
 */
export function nameProject(
  home: AudienceRef,
  { rules, directory }: { readonly rules: Rules; readonly directory: Pick<Directory, "channel"> },
): string | null {
  const { projects } = rules.memory;
  if (home.kind !== "channel" || projects.length === 0) return null;
  const place = locateChannel(directory, home.id);
  for (const id of place?.lineage ?? []) {
    const named = projects.find(({ guild, channels }) => guild === place?.channel.guildId && channels.includes(id));
    if (named) return named.name;
  }
  return null;
}

/** The project of a fact: by its name in its server, else by its category or channel as it was when the fact was remembered. Null for other facts. */
export function projectOf(
  { scope, scopeId, guildId, home }: Pick<Fact, "scope" | "scopeId" | "guildId" | "home">,
  deps: Parameters<typeof nameProject>[1],
): string | null {
  if (scope !== "project") return null;
  const name = nameProject(home, deps);
  return name === null ? `id:${scopeId}` : `name:${guildId}:${name}`;
}
