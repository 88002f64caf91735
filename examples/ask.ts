/**
 * Asks Earshot over MCP, as a desktop agent does: starts `earshot mcp` for one person, calls one tool, prints what the model would read.
 *
 *   node examples/ask.ts sarah search_messages query="the project deadline" limit=5
 */
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const EARSHOT = fileURLToPath(new URL("../bin/earshot.js", import.meta.url)); // in a project of your own: npx earshot

const [person, tool, ...fields] = process.argv.slice(2);
if (!person || !tool) {
  console.error('Say who asks, and what: node examples/ask.ts sarah search_messages query="the project deadline"');
  process.exit(1);
}

const client = new Client({ name: "ask", version: "1.0.0" });
const env = process.env as Record<string, string>;
const args = [EARSHOT, "mcp", "--as", person];
await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }));
try {
  const { content, isError } = await client.callTool({ name: tool, arguments: toArguments(fields) });
  for (const block of content) console.log(block.type === "text" ? block.text : `(${block.type})`);
  if (isError) process.exitCode = 1;
} finally {
  await client.close();
}

function toArguments(all: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    all.map((field) => {
      const at = field.indexOf("=");
      const value = field.slice(at + 1);
      return [field.slice(0, at), /^(\d+|true|false)$/.test(value) ? JSON.parse(value) : value];
    }),
  );
}
