import { EarshotError } from "../../domain/errors.ts";
import { explain } from "../kit/explain.ts";
import { refuseUpgrade } from "../kit/http-refusal.ts";
import type { McpDeps, McpTransport } from "./mcp-transport.ts";
import { refuse } from "./refuse.ts";

const NOTHING_YET: ReturnType<McpTransport["stats"]> = {
  sessions: 0,
  connections: 0,
  calls: 0,
  refused: 0,
  running: 0,
};

/** Loads the MCP library lazily, by `load` or for the first request, so that it does not delay the start. */
export function createMcpOnDemand(deps: McpDeps): McpTransport & { load(): Promise<void> } {
  let loading: Promise<McpTransport> | null = null;
  let loaded: McpTransport | null = null;
  let isClosed = false;

  async function open(): Promise<McpTransport> {
    const { createMcpTransport } = await import("./mcp-transport.ts");
    loaded = createMcpTransport(deps);
    return loaded;
  }

  async function load(): Promise<McpTransport> {
    if (isClosed) throw new EarshotError("unavailable", "Earshot is shutting down.");
    loading ??= open().catch((error: unknown) => {
      // For example too many open files: the next request retries.
      loading = null;
      throw error;
    });
    return loading;
  }

  function toRefusal(error: unknown): EarshotError {
    const { code, message } = explain(error, { log: deps.log, what: "MCP could not be loaded" });
    return new EarshotError(code, message);
  }

  return {
    async fetch(request, outgoing) {
      const transport = await load().catch(toRefusal);
      return transport instanceof EarshotError ? refuse(transport) : transport.fetch(request, outgoing);
    },
    async handleUpgrade(request, socket, head) {
      // A client that disconnects while the transport is loading must not end the program.
      socket.on("error", () => socket.destroy());
      const transport = await load().catch(toRefusal);
      if (socket.destroyed) return;
      if (transport instanceof EarshotError) refuseUpgrade(socket, transport);
      else transport.handleUpgrade(request, socket, head);
    },
    load: async () => void (await load()),
    clientNames: () => loaded?.clientNames() ?? [],
    stats: () => loaded?.stats() ?? NOTHING_YET,
    async close() {
      isClosed = true;
      await (await loading?.catch(() => null))?.close();
    },
  };
}
