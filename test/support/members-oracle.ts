import { anybody, everybody, rightsOf, type Somebody } from "./audience-oracle.ts";
import { BIT, type Scene, type Spot } from "./audience-scene.ts";

/** Somebody, and whether they have yet to pass the membership screening. */
export interface Newcomer extends Somebody {
  readonly pending: boolean;
}

/** Whether somebody may know what is shared with the members of a server, or of a role in it, written down from the rule. */
export function isAmongMembers(scene: Scene, role: number | null, { index, roles, pending }: Newcomer): boolean {
  if (index === scene.owner) return true;
  const granted = [0, ...roles].map((held) => scene.roles[held] ?? 0n);
  if (granted.some((bits) => (bits & BIT.administrator) !== 0n)) return true;
  return !pending && (role === null || role === 0 || roles.includes(role));
}

/** Everybody who is there and counts. */
export function everyNewcomer(scene: Scene): Newcomer[] {
  return everybody(scene).map((person) => ({ ...person, pending: scene.members[person.index]?.pending ?? false }));
}

/** Everybody there could be: with any roles and, where the server screens its members, pending or not. */
export function anyNewcomer(scene: Scene): Newcomer[] {
  const states = scene.hasScreening ? [false, true] : [false];
  return anybody(scene).flatMap((person) => states.map((pending) => ({ ...person, pending })));
}

/** Of these people, who see a spot, and may not know what is shared with the members. */
export function strangersAt(
  scene: Scene,
  { spot, role }: { readonly spot: Spot; readonly role: number | null },
  people: readonly Newcomer[],
): Newcomer[] {
  return people.filter((person) => rightsOf(scene, spot, person).sees && !isAmongMembers(scene, role, person));
}

/** What no list of people can mend. */
export function barrierAt({ room }: Spot): string | null {
  if (room.kind === "other") return "elsewhere";
  if (room.hidden) return "hidden";
  return room.kind === "announcement" ? "announcement" : null;
}
