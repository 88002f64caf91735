import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import { isLoopback } from "../../domain/loopback.ts";
import { type Allowance, LOOPBACK_PROGRAM } from "../../policy/sign-in-settings.ts";
import { showName } from "../kit/show-name.ts";

type Html = ReturnType<typeof html>;

/** A program that asks for access. All except the host is its own claim. */
export interface AskingProgram {
  readonly name: string;
  /** The target of the browser afterwards. */
  readonly redirect: URL;
}

export interface ConsentRequest {
  readonly program: AskingProgram;
  /** Discord's displayed name of the person. */
  readonly person: string;
  readonly offered: readonly Allowance[];
  readonly days: readonly (number | null)[];
  /** Proves that the answer comes from this page. */
  readonly key: string;
  readonly problem?: string;
}

const LABELS: Readonly<Record<Allowance, string>> = {
  read: "Read the channels that I may read",
  search: "Search them",
  people: "See who the members are, and their roles",
  private_facts: "Read the private facts about me",
  direct_messages: "Read my direct messages with the bot",
  ask: "Ask the agent (spends this server's budget)",
  remember: "Propose things to remember, each after I confirm it in Discord",
  post: "Post in the bot's name, each after I confirm it in Discord",
};
const NOT_TICKED: readonly Allowance[] = ["private_facts", "direct_messages"];
const MAX_PERMANENT_DAYS = 3_650;
const USUAL_DAYS = 30;

const STYLE = `:root{color-scheme:light dark;--raised:light-dark(#fff,#1d2427);--line:light-dark(#d5dbdb,#37424a);--accent:light-dark(#1f5f5b,#7cc7bf);accent-color:var(--accent);font:16px/1.5 system-ui,sans-serif;color:light-dark(#1a2224,#e6ecec);background:light-dark(#f6f7f7,#14191b)}
body{margin:0;overflow-wrap:anywhere}main{max-width:36rem;margin:2rem auto;padding:1.5rem;background:var(--raised);border:1px solid var(--line);border-radius:.5rem}
h1{font-size:1.375rem;margin:0 0 .75rem}fieldset{border:0;margin:0 0 1rem;padding:0}legend{font-weight:600;padding:0}label{display:flex;gap:.5rem;align-items:baseline;padding:.25rem 0}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
button{font:inherit;padding:.375rem .875rem;min-height:2.25rem;border:1px solid var(--accent);border-radius:.5rem;background:var(--accent);color:light-dark(#fff,#0d1f1e);cursor:pointer}button.quiet{background:transparent;color:var(--accent)}`;
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/**
 * No external content, no scripts, and no embedding in other pages. Browsers apply `form-action` also to the redirect after the form, which
 * leads to the program, so its scheme is allowed. `referrer-policy`: without a referrer, the form would have no Origin.
 */
export function pageHeaders(redirect?: URL): Record<string, string> {
  const next = redirect ? ` ${redirect.protocol}` : "";
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'self'${next}; frame-ancestors 'none'`,
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  };
}

/** Schemes whose programs pass the address on to another machine: `webcal:` is fetched, `web+…:` and `mailto:` are opened by a website, `googlechrome:` by a browser. */
const REMOTE_SCHEMES =
  /^(?:http|ftps?|sftp|ssh|smb|nfs|wss?|webcals?|feed|mailto|sms|tel|telnet|irc|ircs|xmpp|sip|sips|magnet|ldaps?|git|svn|rtsps?|gopher|news|nntp|ipfs|ipns|intent|googlechromes?|microsoft-edge|x-safari-.*|web\+.*):$/;
/** An address inside the address: the program that opens the outer one may open the inner one as well. */
const PASSED_ON = /https?(?::|%3a)/i;

/** A host, `loopback`, or a scheme such as `cursor:`. Null for an address to which nothing may be sent. */
export function hostOfRedirect({ protocol, hostname, host, href }: URL): string | null {
  if (REMOTE_SCHEMES.test(protocol)) return protocol === "http:" && isLoopback(hostname) ? LOOPBACK_PROGRAM : null;
  if (isLoopback(hostname)) return LOOPBACK_PROGRAM;
  if (protocol === "https:") return host;
  return PASSED_ON.test(href) ? null : protocol;
}

export function renderConsent({ program, person, offered, days, key, problem }: ConsentRequest): string {
  const chosen = days.findLast((one) => one !== null && one <= USUAL_DAYS);
  // The second time, nothing is ticked in advance, because the person had ticked nothing.
  const isTicked = (one: Allowance) => problem === undefined && !NOT_TICKED.includes(one);
  return toPage(
    "Sign a program in",
    html`<h1>May this program act for you?</h1>
      ${problem === undefined ? "" : html`<p role="alert"><strong>${problem}</strong></p>`}
      <p>${describeProgram(program)} You are <strong><bdi>${showName(person)}</bdi></strong>.</p>
      <form method="post">
        <input type="hidden" name="key" value="${key}">
        <fieldset><legend>It may</legend>${offered.map(
          (one) =>
            html`<label><input type="checkbox" name="allow" value="${one}"${raw(isTicked(one) ? " checked" : "")}> ${LABELS[one]}</label>`,
        )}</fieldset>
        <fieldset><legend>For how long</legend>${days.map(
          (one) =>
            html`<label><input type="radio" name="days" value="${one ?? ""}"${raw(one === chosen ? " checked" : "")}> ${toDuration(one)}</label>`,
        )}</fieldset>
        <p>It sees what you may see, and never more. What it reads leaves for that program and its model; Earshot cannot take it back. You can end it at any time with /agent connections in Discord.</p>
        <button name="decision" value="allow">Allow</button>
        <button name="decision" value="cancel" class="quiet">Cancel</button>
      </form>`,
  );
}

/** A refusal with the way back to the program, if there is one. */
export function renderProblem(
  problem: string,
  options: { readonly key?: string; readonly again?: string } = {},
): string {
  const { key, again } = options;
  const back = html`<form method="post"><input type="hidden" name="key" value="${key}"><button name="decision" value="cancel">Back to the program</button></form>`;
  const retry = html`<p><a href="${again}">Try again</a></p>`;
  return toPage(
    "Not signed in",
    html`<h1>Not signed in</h1><p>${problem}</p>${again === undefined ? "" : retry}${key === undefined ? "" : back}`,
  );
}

/** A day and 30 days if the operator allows that long, and the maximum; null has no end. */
export function listDurations(longestDays: number = MAX_PERMANENT_DAYS): readonly (number | null)[] {
  const longest = longestDays === MAX_PERMANENT_DAYS ? null : longestDays;
  const shorter = [1, USUAL_DAYS].filter((days) => days < longestDays);
  return [...shorter, longest];
}

/** In a name, they would end the quotation: what follows would read as our own words. */
const QUOTATION_MARKS = /["\p{Pi}\p{Pf}„″〝〞〟❛-❞＂]/gu;

function describeProgram({ name, redirect }: AskingProgram): Html {
  const called = html`“<bdi>${showName(name).replace(QUOTATION_MARKS, "'")}</bdi>”`;
  const host = hostOfRedirect(redirect);
  if (redirect.protocol === "https:" && host !== LOOPBACK_PROGRAM)
    return html`The program at <strong><bdi>${host}</bdi></strong> asks. It calls itself ${called}.`;
  return html`A program on your computer that calls itself ${called} asks. Anyone could have chosen that name: go on only if you have just started this yourself.`;
}

function toDuration(days: number | null): string {
  if (days === null) return "Until I end it";
  return days === 1 ? "A day" : `${days} days`;
}

function toPage(title: string, body: Html): string {
  return String(
    html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · Earshot</title><style>${raw(STYLE)}</style></head><body><main>${body}</main></body></html>`,
  );
}
