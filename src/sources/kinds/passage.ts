import { toPassageSource } from "../../ports/stored-source.ts";
import type { Kind } from "./kind.ts";
import { limitedTo } from "./limits.ts";

/** A passage of a document, in one version. */
export const passage: Kind<"passage"> = {
  title: "a document",
  key: ({ ref, version }) => `${ref}@${version ?? ""}`,
  audiences: ({ audiences }) => audiences,
  limits: limitedTo,
  state: (source, { watch }) => (source.audiences === null ? "uncertain" : watch.stateOfRecord(source)),
  /** Content that the operator limits to an audience may not be told to anyone else. */
  isOwn: ({ guildId, audiences }, teller) =>
    (guildId === null || guildId === teller.guildId) && audiences?.every(teller.areAllIn) === true,
  cite: ({ ref, version }) => (version === null ? null : toPassageSource({ passageRef: ref })),
  auditTypes: ["docs"],
  restore: (ref) => ({ kind: "passage", ref, version: null, subjectId: null, guildId: null, audiences: null }),
};
