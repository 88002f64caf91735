import { z } from "zod";

const databaseUrl = z.string().refine(isDatabaseUrl, {
  error: "must be an address such as postgres://name:password@host:5432/database",
});

/** Where what lasts is kept instead of the data folder. */
export const databaseSettingsSchema = z
  .strictObject({
    url: databaseUrl
      .optional()
      .describe("Address of a PostgreSQL database for all that lasts; files in the data folder unless set"),
    keysUrl: databaseUrl
      .optional()
      .describe("Address of another PostgreSQL database for the keys of facts; the same unless set"),
    keysSecret: z
      .string()
      .min(16, "must have at least 16 characters")
      .optional()
      .describe("Secret that wraps the keys of facts in PostgreSQL; keep it elsewhere"),
    keysSecretFile: z.string().min(1).optional().describe("File that holds that secret, unless it itself is set"),
  })
  .refine(({ url, keysSecret }) => url === undefined || keysSecret !== undefined, {
    path: ["keysSecret"],
    error:
      "is missing: it wraps the keys of facts in PostgreSQL (EARSHOT_KEYS_SECRET, or a file that EARSHOT_KEYS_SECRET_FILE names)",
  })
  .refine(({ url, keysUrl }) => url !== undefined || keysUrl === undefined, {
    path: ["url"],
    error: "is missing, although there is an address for keys",
  });

export interface PostgresAddress {
  readonly url: string;
  readonly keysUrl: string;
  readonly keysSecret: string;
}

/** Null where what lasts is in files. */
export function postgresOf({
  url,
  keysUrl = url,
  keysSecret,
}: z.output<typeof databaseSettingsSchema>): PostgresAddress | null {
  return url === undefined || keysUrl === undefined || keysSecret === undefined ? null : { url, keysUrl, keysSecret };
}

export function isDatabaseUrl(text: string): boolean {
  const address = URL.parse(text);
  return /^postgres(?:ql)?:$/.test(address?.protocol ?? "") && (address?.pathname.length ?? 0) > 1;
}
