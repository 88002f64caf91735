import fc from "fast-check";

const MAX_ROUNDS = 10;

/**
 * Like `fc.assert`, for a property that would also hold where nothing happens. `expectEnough` says how much must have
 * happened; what a round by chance leaves out, further rounds bring, unless it can hardly happen at all.
 */
export async function assertUntil<Values>(
  property: fc.IAsyncPropertyWithHooks<Values>,
  expectEnough: () => void,
  parameters: fc.Parameters<Values>,
): Promise<void> {
  for (let round = 1; ; round += 1) {
    await fc.assert(property, parameters);
    try {
      expectEnough();
      return;
    } catch (error) {
      if (round === MAX_ROUNDS) throw error;
    }
  }
}
