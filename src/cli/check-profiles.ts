import { EarshotError } from "../domain/errors.ts";
import type { UserId } from "../domain/ids.ts";
import { openProfileService } from "../open-profiles.ts";
import type { Context } from "./command.ts";

/** Asks the profile service about the bot itself: that tells it of nobody. Prints nothing where none is configured. False where something must be changed. */
export async function checkProfiles(botId: UserId, { config, log, print }: Context): Promise<boolean> {
  const service = openProfileService(config, { clock: { now: () => 0 }, log });
  if (!service) return true;
  try {
    await service.probe(botId);
    print("✓ profiles: the service answers");
    return true;
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
    print(`✗ profiles: ${error.message}`);
    print(
      "  → Check EARSHOT_PROFILE_URL and EARSHOT_PROFILE_TOKEN. It must answer with a JSON object, or with status 404.",
    );
    return false;
  } finally {
    service.close();
  }
}
