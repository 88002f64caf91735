import fc from "fast-check";
import type { Sandbox } from "../../sandbox/index.ts";

const CHANNELS = ["general", "news", "help", "pier", "staff-room"];
const PEOPLE = ["olga", "sarah", "mark", "mei"];
const ROLES = ["staff", "crew"];
const WHO = ["everyone", ...ROLES, "helper", ...PEOPLE.map((person) => `person:${person}`)];
const PERMISSIONS = ["ViewChannel", "ReadMessageHistory", "Connect", "ManageThreads"] as const;

/** Overwrites, roles and a private thread, for the small community: who may enter where is a matter of chance. */
export const randomDoors = fc.record({
  overwrites: fc.array(
    fc.record({
      channel: fc.constantFrom(...CHANNELS),
      who: fc.constantFrom(...WHO),
      permissions: fc.array(fc.constantFrom("allow" as const, "deny" as const, null), {
        minLength: PERMISSIONS.length,
        maxLength: PERMISSIONS.length,
      }),
    }),
    { minLength: 3, maxLength: 14 },
  ),
  roles: fc.record(Object.fromEntries(PEOPLE.map((person) => [person, fc.subarray(ROLES)]))),
  /** Who is in the private thread besides the one who opened it. */
  invited: fc.subarray(PEOPLE),
});

type Doors = typeof randomDoors extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns the id of the private thread. */
export function applyDoors(
  { admin, as }: Pick<Sandbox, "admin" | "as">,
  { overwrites, roles, invited }: Doors,
): string {
  const thread = as("olga").openThread({ in: "general", isPrivate: true }, "a private thread");
  as("olga").say(thread.id, "among few");
  for (const person of invited) if (person !== "olga") as("olga").bringIntoThread(thread.id, person);
  for (const [person, held] of Object.entries(roles)) admin.setRoles(person, held);
  for (const { channel, who, permissions } of overwrites) {
    const named = (wanted: string) => PERMISSIONS.filter((_, index) => permissions[index] === wanted);
    admin.setOverwrite(channel, who, { allow: named("allow"), deny: named("deny") });
  }
  return thread.id;
}
