import type { SecretKind } from "./secret-kind.ts";
import type { SecretReadings } from "./secret-readings.ts";

const PRIVATE_KEY =
  /BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY|BEGIN(?:[A-Z]{2,10})?PRIVATEKEY|b3BlbnNzaC1rZXktdjE|PuTTY-User-Key-File|AGE-SECRET-KEY-1[A-Z\d]{40}/;

/** The published forms of tokens, with the least number of characters that follow a prefix. No part has an open end, so the work per character is bounded. */
const TOKENS = [
  // Discord: a bot's id in base64, a time, a signature; webhooks.
  String.raw`[MNO][A-Za-z\d]{23,27}\.[\w-]{6,7}\.[\w-]{27}`,
  String.raw`discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{17,20}/[\w-]{20}`,
  String.raw`eyJ[\w-]{8,200}\.eyJ[\w-]{8}`,
  // AWS, Google, Azure.
  "(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
  String.raw`AIza[\w-]{35}`,
  String.raw`GOCSPX-?[\w-]{28}`,
  String.raw`ya29\.[\w-]{20}`,
  String.raw`(?:AccountKey|SharedAccessKey|SharedAccessSignature)=[\w+/%-]{20}`,
  String.raw`[\w~.]{3}\dQ~[\w~.-]{31}`,
  // GitHub, GitLab.
  String.raw`gh[pousr]_[A-Za-z\d]{36}`,
  String.raw`github_pat_\w{50}`,
  String.raw`gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas)-[\w-]{20}`,
  // Slack.
  String.raw`xox[abceoprs]-[\w-]{20}`,
  String.raw`xapp-\d-[\w-]{20}`,
  String.raw`hooks\.slack\.com/(?:services|workflows)/[\w/]{20}`,
  // Stripe, OpenAI, Anthropic and those that copy their form.
  String.raw`[sr]k_(?:live|test)_[A-Za-z\d]{16}`,
  String.raw`whsec_[A-Za-z\d+/]{24}`,
  String.raw`sk-(?:proj|svcacct|admin|ant|or)-[\w-]{20}`,
  // npm, PyPI, Twilio, SendGrid, Telegram.
  String.raw`npm_[A-Za-z\d]{36}`,
  String.raw`pypi-?AgE[\w-]{50}`,
  String.raw`SK[\da-f]{32}`,
  String.raw`SG\.[\w-]{22}\.[\w-]{43}`,
  String.raw`\d{8,10}:AA[\w-]{33}`,
  // Hugging Face, DigitalOcean, Shopify, Databricks, Linear, Figma, Postman, Vault, Groq, Atlassian.
  String.raw`hf_[A-Za-z\d]{34}`,
  String.raw`do[opr]_v1_[\da-f]{64}`,
  String.raw`shp(?:at|ca|pa|ss)_[\da-f]{32}`,
  String.raw`dapi[\da-f]{32}`,
  String.raw`lin_api_[A-Za-z\d]{40}`,
  String.raw`figd_[\w-]{40}`,
  String.raw`PMAK-[\da-f]{24}-[\da-f]{34}`,
  String.raw`hvs\.[\w-]{24}`,
  String.raw`gsk_[A-Za-z\d]{50}`,
  String.raw`ATATT3[\w-]{50}`,
].join("|");

/** This prefix is too short for text without spaces: "task - …". */
const OPENAI_KEY = String.raw`sk-[A-Za-z\d]{40}`;
const TOKEN = new RegExp(`(?<![A-Za-z0-9])(?:${TOKENS}|${OPENAI_KEY})`);
/** With spaces removed, a token may directly follow a word. */
const COMPACT_TOKEN = new RegExp(TOKENS, "g");

const OTP_LINK = /otpauth:\/\/[ht]otp\//i;

/** Long texts that are no secrets: links, ids, public keys. Secrets in links are found by their form or by the name of their parameter. */
const HARMLESS = new RegExp(
  [
    String.raw`https?://[^\s<>]{1,2000}`,
    String.raw`[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}`,
    String.raw`(?:ssh-[a-z\d]{2,10}|ecdsa-sha2-[a-z\d]{2,10}) AAAA[\w+/=]{1,1000}`,
  ].join("|"),
  "gi",
);
const LONG_RUN = /[\w+/-]{32,4000}/g;

export const TOKEN_PATTERNS = { PRIVATE_KEY, TOKEN, COMPACT_TOKEN, OTP_LINK, HARMLESS, LONG_RUN };

/** Access tokens and private keys: by their published forms, then by looking random. */
export function findToken({ texts, joined, hasLongParts }: SecretReadings): SecretKind | null {
  const compact = texts.flatMap((text) => [text.replace(/\s/g, ""), text.replace(/[\s-]/g, "")]);
  if ([...texts, ...compact].some((text) => PRIVATE_KEY.test(text))) return "a private key";
  if (texts.some((text) => TOKEN.test(text) || OTP_LINK.test(text))) return "an access token";
  if (compact.some((text) => (text.match(COMPACT_TOKEN) ?? []).some((run) => pieceLength(run) <= 4)))
    return "an access token";
  const long = hasLongParts ? texts : texts.filter((text) => text !== joined);
  const runs = long.flatMap((text) => text.replace(HARMLESS, " ").match(LONG_RUN) ?? []);
  return runs.some(isRandom) ? "an access token" : null;
}

function isRandom(run: string): boolean {
  if (!/\d/.test(run) || !/[A-Za-z]/.test(run)) return false;
  // With fewer kinds of characters, the kind changes less often.
  return pieceLength(run) <= (!/[a-z]/.test(run) ? 5 : /^[\da-f]+$/.test(run) ? 4 : 3);
}

/**
 * Average number of consecutive characters of one kind. Random base64 has about two; words, dates, paths and identifiers have more, and a
 * sentence without spaces is one long piece.
 */
function pieceLength(run: string): number {
  const pieces = run.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  return pieces.join("").length / pieces.length;
}
