import { AgentCommand } from "../../src/transports/discord/agent-command.ts";
import { Reviews } from "../../src/transports/discord/reviews.ts";
import type { TestAgent } from "../support/agent.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };

/** What people do with `/agent` and the buttons under answers. */
export function openAgentCommand(world: TestAgent): AgentCommand {
  const { discord } = world.edge;
  const reviews = new Reviews({ discord, core: () => world, log });
  return new AgentCommand({ ...world, reviews, discord, log });
}
