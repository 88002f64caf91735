import { createRequire } from "node:module";

/**
 * For `node --import`: sends the requests of a program that is built on discord.js to the sandbox at SANDBOX_API instead of discord.com. The
 * program has no setting for that, so the default of the REST library that its discord.js loads is changed; the program itself is as published.
 */
const { SANDBOX_API: api } = process.env;
if (!api) throw new Error("SANDBOX_API names the API of the sandbox");
const { resolve } = createRequire(import.meta.resolve("mcp-discord"));
const { DefaultRestOptions } = createRequire(resolve("discord.js"))("@discordjs/rest");
DefaultRestOptions.api = api;
