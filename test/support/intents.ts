import { GatewayIntentBits } from "discord-api-types/v10";

/** Everything a bot can ask to hear. */
export const ALL_INTENTS = Object.values(GatewayIntentBits)
  .filter((bit) => typeof bit === "number")
  .reduce((all, bit) => all | bit, 0);
