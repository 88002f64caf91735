import { isLoopback } from "../domain/loopback.ts";
import { toEraser } from "../gate/memory/erase-person.ts";
import { AgentCommand } from "../transports/discord/agent-command.ts";
import { openCommands } from "../transports/discord/commands.ts";
import { PersonMemory } from "../transports/kit/person-memory.ts";
import { createMcpOnDemand } from "../transports/mcp/mcp-on-demand.ts";
import { createRpcTransport } from "../transports/rpc/rpc-transport.ts";
import { VERSION } from "../version.ts";
import type { CoreParts } from "./open-core.ts";
import type { Program } from "./open-ground.ts";
import type { Sources } from "./open-sources.ts";

export type Faces = ReturnType<typeof openFaces>;

/** The ways in for people and programs: Discord's commands, RPC and MCP. */
export function openFaces(
  { config, clock, log, mintId, closers }: Program,
  { discord, sandbox }: Sources,
  parts: CoreParts,
) {
  const { core, agent, reviews, privacy, people } = parts;
  const { directory } = discord;
  const { timeZone } = config;
  const { signIns } = people ?? {};
  const authenticate = (token: string) => signIns?.authenticate(token) ?? parts.authenticate(token);
  const common = { ...core, privacy, authenticate, clock, log, mintId };

  const commands = openCommands({ ...core, privacy, discord, timeZone, clock, log, mintId });
  closers.push(() => commands.close());
  core.erasers.add(toEraser("previews", (person) => commands.drop(person)));
  const agentCommand = new AgentCommand({ ...core, agent, reviews, signIns, discord, log });
  closers.push(() => agentCommand.close());
  const personMemory = new PersonMemory({ ...core, privacy, directory, clock });
  const rpc = createRpcTransport({
    ...{ ...common, personMemory, agent },
    listen: (listener) => discord.listen(listener),
    signInHint: people?.hint,
    isSandbox: sandbox !== null,
  });
  closers.push(() => rpc.close());
  core.erasers.add(toEraser("event log", (person) => rpc.forgetAuthor(person)));
  const mcp = createMcpOnDemand({
    ...{ ...common, directory, version: VERSION },
    signIn: people,
    isLocal: isLoopback(config.server.host),
    trustsHost: ({ grant }) => grant.elicitation,
  });
  closers.push(() => mcp.close());
  return { personMemory, rpc, mcp };
}
