/** What every bot of this folder is told by the test that runs it. */
import { createRequire } from "node:module";
import { join } from "node:path";

/** The folder that holds the libraries, the addresses of the sandbox, and the bot's token. */
export const { LIBRARIES = "", API = "", TOKEN = "" } = process.env;

/** Loads a library from that folder, not from the project's own. */
export const load = createRequire(join(LIBRARIES, "package.json"));

export const CHART = "low 06:12\nhigh 12:30\n";

/** Tells the test that the bot is connected and its command registered. */
export function tellReady() {
  console.log("ready");
}

export async function readText(url) {
  return (await fetch(url)).text();
}
