import type { Memory } from "../../src/memory/memory.ts";
import { openTestMemory } from "../support/memory.ts";
import { openAskingHarbour } from "./open-commands.ts";

type HarbourOptions = Omit<NonNullable<Parameters<typeof openAskingHarbour>[0]>, "openMemory">;

/** A harbour with its memory. The clock of the memory may be behind. */
export async function openMemoryHarbour(options: HarbourOptions, behind = { ms: 0 }) {
  const opened = Promise.withResolvers<Memory>();
  const harbour = await openAskingHarbour({
    ...options,
    async openMemory(deps) {
      const memory = await openTestMemory({ ...deps, clock: { now: () => deps.clock.now() - behind.ms } });
      opened.resolve(memory);
      return memory;
    },
  });
  const { ownMemory } = harbour;
  if (!ownMemory) throw new Error("nothing is remembered");
  return { ...harbour, ownMemory, memory: await opened.promise };
}
