import { z } from "zod";
import { EarshotError } from "../domain/errors.ts";
import { idSchema } from "../domain/id-schema.ts";
import type { ChannelId, GuildId } from "../domain/ids.ts";
import { isSafeAddress } from "../domain/loopback.ts";
import { normaliseName } from "../domain/memory/fact.ts";
import { parseFactInput } from "../domain/memory/fact-input.ts";
import { DISCORD_PROFILE_KEYS } from "../ports/profile-source.ts";

const MAX_FIELDS = 50;
/** At most eight nested objects. */
const PATH = /^[^.]{1,100}(\.[^.]{1,100}){0,7}$/;
const USER_ID = "{user_id}";

const visibility = z
  .union(
    [
      z.literal("private"),
      z.strictObject({ server: idSchema<GuildId>() }),
      z.strictObject({ channel: idSchema<ChannelId>() }),
    ],
    { error: 'must be "private", {"server": "<id>"} or {"channel": "<id>"}' },
  )
  .default("private");

const field = z.strictObject({
  key: z.string().refine(isKey, { error: "must be a name of 1 to 64 characters in one line, such as timezone" }),
  visibility,
});

/** The operator's profile service: its address, and the audience of each field. */
export const profileSettingsSchema = z
  .strictObject({
    url: z
      .string()
      .trim()
      .refine(isTemplate, {
        error: `must begin with https:// (http:// only on this machine), hold ${USER_ID} once in its path or query, and neither a password nor a fragment`,
      })
      .optional()
      .describe(`Address of the profile service, with ${USER_ID} where the id of the person goes`),
    token: z
      .string()
      .trim()
      .regex(/^[\x21-\x7e]{1,4096}$/, "must be printable characters without spaces")
      .optional()
      .describe("Bearer token for the profile service, if it needs one"),
    /** By the dotted JSON path of the value in the response. */
    fields: z.record(z.string(), field).default({}),
  })
  .superRefine(({ url, fields }, context) => {
    const say = (message: string) => context.addIssue({ code: "custom", path: ["fields"], message });
    const keys = Object.values(fields).map(({ key }) => normaliseName(key));
    if (url === undefined && keys.length > 0) say("need profiles.url: without it, nobody is asked");
    if (url !== undefined && keys.length === 0) say("must name at least one field: without any, nothing is asked");
    if (keys.length > MAX_FIELDS) say(`can be ${MAX_FIELDS} at most`);
    if (new Set(keys).size < keys.length) say("two of them have the same key");
    if (!Object.keys(fields).every((path) => PATH.test(path))) say("must be named by paths such as work.title");
    const own = DISCORD_PROFILE_KEYS.find((key) => keys.includes(key));
    if (own !== undefined) say(`one of them has the key ${own}, which Discord itself answers; choose another`);
  });

/** The id of a person must not decide which host is asked. */
function isTemplate(template: string): boolean {
  if (template.split(USER_ID).length !== 2) return false;
  const url = URL.parse(template.replace(USER_ID, "0"));
  if (!url || !isSafeAddress(url.href) || url.username || url.password || template.includes("#")) return false;
  return /^https?:\/\/[^/?]+[/?]/i.test(template.slice(0, template.indexOf(USER_ID)));
}

function isKey(key: string): boolean {
  try {
    return parseFactInput({ key, value: "" }).name === key;
  } catch (error) {
    if (error instanceof EarshotError) return false;
    throw error;
  }
}
