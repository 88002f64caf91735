import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Public collections of hostile texts, and of harmless ones that look like them. They are no part of the project. */
const FOLDER = resolve(import.meta.dirname, "../../../shared/data/injection");

export const hasInjectionTexts = existsSync(FOLDER);

/** Every text in them, whatever its file calls it. */
export function injectionTexts(): string[] {
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" });
  return files.flatMap((name) => {
    if (name.endsWith(".json")) return stringsIn(JSON.parse(readFileSync(join(FOLDER, name), "utf8")));
    if (name.endsWith(".yaml")) return quotedIn(readFileSync(join(FOLDER, name), "utf8"));
    return [];
  });
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return value.length > 12 ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

function quotedIn(text: string): string[] {
  return [...text.matchAll(/"([^"\n]{12,})"/g)].flatMap(([, quoted]) => quoted ?? []);
}
