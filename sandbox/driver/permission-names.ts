import { PermissionFlagsBits, RESTJSONErrorCodes } from "discord-api-types/v10";
import { toPermissions } from "../community/lay-community.ts";
import type { PermissionName } from "../community/plan.ts";
import { UnknownName } from "./names.ts";

/** Permissions as people write them: a number, or names such as `ViewChannel,SendMessages`. Throws `UnknownName`. */
export function parsePermissions(text: string): bigint {
  if (/^\d{1,19}$/.test(text)) return BigInt(text);
  return toPermissions(toPermissionNames(text.split(",").map((name) => name.trim())));
}

/** Throws `UnknownName` for a name that no permission has. */
export function toPermissionNames(names: readonly string[]): PermissionName[] {
  return names.map((name) => {
    if (Object.hasOwn(PermissionFlagsBits, name)) return name as PermissionName;
    throw new UnknownName(RESTJSONErrorCodes.GeneralError, "Permission", name, Object.keys(PermissionFlagsBits));
  });
}
