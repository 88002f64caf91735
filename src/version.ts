import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";

/** From the package file nearest to this one, which is the same for the sources and for the built package. */
export const VERSION = String(
  JSON.parse(readFileSync(findPackageJSON(import.meta.url) ?? "package.json", "utf8")).version,
);
