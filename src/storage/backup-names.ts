import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { EarshotError } from "../domain/errors.ts";

/** Copies of keys that are older are deleted by the next backup, and not restored. */
export const MAX_KEY_COPY_DAYS = 7;
export const DAY_MS = 86_400_000;
export const PARTIAL = ".partial";
/** A time in UTC. Each backup has a folder of this name. */
export const STAMP = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z$/;

/** The name of a backup of this time, such as `2026-11-18T10-48-38-120Z`. */
export function toStamp(time: number): string {
  return new Date(time).toISOString().replaceAll(/[:.]/g, "-");
}

/** Null for another name. */
export function toStampTime(name: string): number | null {
  const time = Date.parse(name.replace(STAMP, "$1T$2:$3:$4.$5Z"));
  return STAMP.test(name) && !Number.isNaN(time) ? time : null;
}

export function describeTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Backups in a folder that have this file, the newest first. None where there is no folder. */
export function listBackups(folder: string, file: string): readonly { readonly path: string; readonly time: number }[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .flatMap((name) => {
      const time = toStampTime(name);
      const path = join(folder, name);
      return time !== null && existsSync(join(path, file)) ? { path, time } : [];
    })
    .sort((one, other) => other.time - one.time);
}

/** Throws `invalid` where one of the folders is another one, or lies within it, also by way of a link. */
export function requireApart(folders: readonly string[]): void {
  for (const inner of folders)
    for (const outer of folders)
      if (inner !== outer && isWithin(toReal(inner), toReal(outer))) throw notApart(inner, outer);
  if (new Set(folders).size < folders.length) throw notApart(...(folders.slice(-2) as [string, string]));
}

function notApart(inner: string, outer: string): EarshotError {
  const hint = "Keep the data folder, the backups and the copies of the keys apart, best on different disks.";
  return new EarshotError("invalid", `${inner} is the same folder as ${outer}, or lies within it. ${hint}`);
}

/** Without links; what does not exist yet has none. */
function toReal(path: string): string {
  return existsSync(path) || dirname(path) === path ? realpathSync(path) : join(toReal(dirname(path)), basename(path));
}

function isWithin(inner: string, outer: string): boolean {
  if (inner === outer || isSameFolder(inner, outer)) return true;
  return dirname(inner) !== inner && isWithin(dirname(inner), outer);
}

/** A folder can have several paths without a link: it may be mounted twice, or its name not tell upper from lower case. */
function isSameFolder(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}
