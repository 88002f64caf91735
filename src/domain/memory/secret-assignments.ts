import type { SecretKind } from "./secret-kind.ts";
import type { SecretReadings } from "./secret-readings.ts";

const PASSWORD =
  "passwords?|passwor[dt]|passw[öo]rter|passphrase|passcode|passwd|kennwort|contraseñas?|contrasena|mots? de passe|wachtwoord|senha|парол[ьяеи]|密码|密碼|パスワード|비밀번호|(?<!\\p{L})(?:pwd|pw|mdp)";
const TOKEN =
  "api[ _-]?(?:key|token|secret|schlüssel|キー|密钥|密鑰)|(?:access|auth|authentication|bearer|refresh|bot|session|security|personal access)[ _-]?(?:token|key)|auth_?token|secret[ _-]?(?:access[ _-]?)?key|(?:client|app|webhook|signing|shared)[ _-]?secret|zugangsschlüssel|clave de api|clé d['’]api|ключ api|api[ -]ключ|アクセストークン|访问令牌";
const PHRASE = "private[ _-]?key|(?:seed|recovery|mnemonic)[ _-]?(?:phrase|words)";

const CODE_ADJECTIVES =
  "zip|postal|post|area|error|status|exit|country|dress|colou?r|qr|bar|source|http|product|airport|response|close|language|currency|class|morse|vs|dial(?:l?ing)?|promo|discount|party|room|course|fehler|status|länder|post";
const STRONG_CODE =
  "(?<!\\p{L})(?:otp|totp|pin|2fa|mfa|tan)(?:[ -]?(?:code|nummer|number|код))?|verification(?: code)?|(?:one[- ]time|security|login|access|door|gate|entry|alarm|safe|confirmation|backup|recovery|sms)[ -]?(?:code|pin|password|passcode)|(?:einmal|tür|bestätigungs|sicherheits|verifizierungs|zugangs|sms-?)(?:code|passwort)|código de (?:verificación|seguridad|acceso|confirmación)|code de (?:vérification|sécurité|confirmation|validation)|код (?:подтверждения|безопасности|доступа|из смс)|пин(?:-?код)?|验证码|驗證碼|校验码|动态码|認証コード|確認コード|認証番号|暗証番号|ワンタイムパスワード|인증번호";
const WEAK_CODE = `(?<!(?:${CODE_ADJECTIVES})[ -]?)(?:(?<!\\p{L})(?:code|código|codigo|код)|(?<=\\p{L})code)`;

/** A sign between a word and its value, then a verb. */
const SIGN = String.raw`["'”»)\]]{0,2}\s{0,3}(?:[:=]|->|→|—)\s{0,3}`;
const VERB = String.raw`["'”»)\]]{0,2}\s{1,3}(?:is|was|ist|war|lautet|es|est|é|это)(?!\p{L})\s{0,2}:?\s{0,3}`;
const CJK_VERB = String.raw`\s{0,2}(?:是|为|為|は|는|은)\s{0,2}[:「『"]?\s{0,2}`;
const FOR = "(?:for|of|de|del|de la|du|da|do|от|для|к|für|fürs|vom|zum|voor)";

/** Four to eight digits, alone or in groups, that are no date and no part of a longer number. */
const DIGITS = String.raw`(?!\d{4}-\d\d-\d\d)\d(?:[ -]?\d){3,7}(?![ -]?\d|[.,:/]\d|\p{L}(?<![はでがをに是]))`;

const PASSWORD_NAME = new RegExp(`(?:${PASSWORD})$|^(?:${PASSWORD}) ${FOR} `, "iu");
const TOKEN_NAME = new RegExp(`(?:${TOKEN})s?$|^(?:${TOKEN}) ${FOR} `, "iu");
const PHRASE_NAME = new RegExp(`(?:${PHRASE})$`, "iu");
const PASSWORD_VALUE = new RegExp(`(?:${PASSWORD})(?:${SIGN}|${VERB})`, "giu");
const TOKEN_VALUE = new RegExp(`(?:${TOKEN})(?:${SIGN}|${VERB})`, "giu");
const PASSWORD_CJK_VALUE = new RegExp(`(?:${PASSWORD})${CJK_VERB}[!-~]{4}`, "iu");
/** For words that have other meanings, or are adjacent to the value: the value must have letters and digits. */
const MIXED = String.raw`(?=[!-~]{0,20}\d)(?=[!-~]{0,20}[a-z])[!-~]`;
const PASSWORD_BESIDE = new RegExp(String.raw`(?:(?:${PASSWORD}) |(?<!\p{L})pass${SIGN})${MIXED}{5}`, "iu");
const TOKEN_BESIDE = new RegExp(String.raw`(?<!\p{L})(?:token|secret)(?:${SIGN}|${VERB})${MIXED}{8}`, "iu");
const URL_PASSWORD = /:\/\/[^\s/:@]{0,64}:[^\s/@]{1,100}@[\w[]/;
const CODE_VALUE = new RegExp(
  `(?:(?:${STRONG_CODE})(?:${SIGN}|${VERB}|${CJK_VERB}|[ #]{1,2})|${WEAK_CODE}(?:${SIGN}|${VERB}))${DIGITS}`,
  "iu",
);
const CODE_BEFORE = new RegExp(
  String.raw`(?<![\p{L}\d.,:/-])${DIGITS} (?:is|ist|est|es|это|as|als) (?:(?:\p{L}{1,12} ){0,2}(?:${STRONG_CODE})|(?:\p{L}{1,12} ){1,2}${WEAK_CODE}(?=[.,;!)\n]|$))`,
  "iu",
);

export const ASSIGNMENT_PATTERNS = {
  PASSWORD_NAME,
  TOKEN_NAME,
  PHRASE_NAME,
  PASSWORD_VALUE,
  TOKEN_VALUE,
  PASSWORD_CJK_VALUE,
  PASSWORD_BESIDE,
  TOKEN_BESIDE,
  URL_PASSWORD,
  CODE_VALUE,
  CODE_BEFORE,
};

/** Text after "the password is" or "password:" in sentences that do not contain the password. */
const NO_VALUE = new Set(
  [
    "a an the this that my your our his her their in on at by to of for with from and or but if when via per",
    "is are was be been being has had have will can must should may not no none never always too very so now still only also just",
    "ask see check look use find get tell send dm ping contact call read write reset change changes set keep",
    "changed required expired needed wrong stored kept managed rotated forgotten lost long short weak strong safe secret hidden correct",
    "incorrect invalid missing empty unknown saved shared written due used optional mandatory sent unique different same old new good bad",
    "abgelaufen falsch vergessen nicht zu im auf sehr noch schon geändert sicher lang kurz schwach bei beim der die das ein eine frag siehe",
    "oublié expiré faux dans trop sur chez le la un une pas incorrect changé perdu demande voir périmé",
    "en el los muy incorrecta vencida olvidada caducada perdida pregunta ver está",
    "в на не надо нужно спроси забыт истёк",
    "what why how who where which it one two three something nothing",
  ].flatMap((words) => words.split(" ")),
);

/** Named secrets: "password: …", a key called "api key", "your code is …", `user:password@host`. */
export function findAssignedSecret({ names, texts }: SecretReadings): SecretKind | null {
  if (names.some((name) => PHRASE_NAME.test(name))) return "a private key";
  if (texts.some((text) => CODE_VALUE.test(text) || CODE_BEFORE.test(text))) return "a one-time code";
  if (texts.some((text) => URL_PASSWORD.test(text))) return "a password";
  if (names.some((name) => TOKEN_NAME.test(name))) return "an access token";
  if (names.some((name) => PASSWORD_NAME.test(name))) return "a password";
  for (const text of texts) {
    if (hasValue(text, PASSWORD_VALUE) || PASSWORD_CJK_VALUE.test(text) || PASSWORD_BESIDE.test(text))
      return "a password";
    if (hasValue(text, TOKEN_VALUE) || TOKEN_BESIDE.test(text)) return "an access token";
  }
  return null;
}

/** Whether a value follows, rather than the rest of a sentence. */
function hasValue(text: string, pattern: RegExp): boolean {
  return [...text.matchAll(pattern)].some((match) => {
    const rest = text.slice(match.index + match[0].length, match.index + match[0].length + 64);
    const word = /^["'“”«»`(*]{0,2}([^\s"'“”«»`]{2,})/u.exec(rest)?.[1];
    return word !== undefined && !/^<[@#]/.test(word) && !NO_VALUE.has(word.toLowerCase().replace(/[.,;:!?)]+$/, ""));
  });
}
