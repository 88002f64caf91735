import { editDistance } from "./edit-distance.ts";

const MAX_NAME_LENGTH = 50;

/** The known names closest to the one given, for "did you mean …?": at most two letters differ, in a short name one. */
export function similarNames(name: string, names: readonly string[]): string[] {
  const maxEdits = name.length < 4 ? 1 : 2;
  const near = names.map((other) => ({ other, edits: editDistance(name.slice(0, MAX_NAME_LENGTH), other, maxEdits) }));
  const fewest = Math.min(...near.map(({ edits }) => edits));
  return fewest > maxEdits ? [] : near.filter(({ edits }) => edits === fewest).map(({ other }) => other);
}
