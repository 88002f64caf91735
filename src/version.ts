import { readFileSync } from "node:fs";

/** Of the package this file belongs to, in a checkout as in an installation. */
export const VERSION = String(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version);
