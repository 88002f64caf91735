import { describe, onTestFinished } from "vitest";
import type { Sandbox, SandboxOptions } from "../../sandbox/index.ts";
import { compressedCoreClient, coreClient } from "./core-client.ts";
import { discordJsClient } from "./discordjs-client.ts";
import type { ConnectOptions, JourneyClient } from "./journey-client.ts";
import { openTestSandbox } from "./sandbox.ts";

export interface Arrival {
  readonly sandbox: Sandbox;
  readonly client: JourneyClient;
}

/** Opens a sandbox and logs the main bot in. */
export type Arrive = (options?: SandboxOptions, connection?: ConnectOptions) => Promise<Arrival>;

const CLIENTS = [coreClient, discordJsClient];

/** For what the gateway's compression could spoil. */
export const COMPRESSED_TOO = [...CLIENTS, compressedCoreClient];

/** The same journeys with every real client. */
export function journeys(title: string, tell: (arrive: Arrive) => void, clients = CLIENTS): void {
  describe.each(clients)(`${title}, with $name`, ({ connect }) => {
    tell(async (options, connection) => {
      const sandbox = await openTestSandbox(options);
      const client = await connect(sandbox, connection);
      onTestFinished(client.close);
      return { sandbox, client };
    });
  });
}
