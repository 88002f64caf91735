import { joinParts, type Message } from "../message.ts";
import type { Pacer, Steps } from "../steps/pace.ts";
import { quoteName } from "../text/escape.ts";
import { extractLinksWithTrimmed } from "../text/links.ts";
import type { Bullet } from "./bullets.ts";
import type { Point } from "./point.ts";
import { quote } from "./quote.ts";
import { ownText, type SummaryPost } from "./summary-posts.ts";

const MAX_LINKS = 4;
const MAX_FILES = 6;
/** The maximum per message. */
const MAX_LINKS_READ = 100;
/** Longer links are left out: part of a link is another link. */
const MAX_LINK_LENGTH = 200;
const MAX_QUOTE_LENGTH = 80;

/** The cost of looking for links, per character, in units of work. */
const LINK_COST = 15;

/** Links, each with the text around it, and files: those with most replies first, then the latest. */
export function* describeShared(posts: readonly SummaryPost[], pacer: Pacer): Steps<Point[]> {
  const byInterest = posts.toReversed().sort((a, b) => b.replies - a.replies);
  const seen = new Set<string>();
  const links: Bullet[] = [];
  for (const post of byInterest) {
    if (links.length === MAX_LINKS) break;
    const [link] = webLinks(ownText(post.message)).filter((one) => !seen.has(one));
    const [forwarded] = webLinks(forwardedText(post.message)).filter((one) => !seen.has(one));
    if (pacer.spend(LINK_COST * post.message.content.length)) yield;
    const shared = link ?? forwarded;
    if (shared === undefined) continue;
    seen.add(shared);
    const around = post.text.replaceAll("(link)", "").trim();
    const how = link === undefined ? "Link forwarded by" : "Link from";
    const text = `${how} ${post.name}: ${shared}${around === "" ? "" : ` ${quote(around, MAX_QUOTE_LENGTH)}`}`;
    links.push({ text, cites: [post.id] });
  }
  const files = byInterest
    .flatMap((post) => post.message.attachments.map(({ filename }) => ({ post, filename })))
    .slice(0, MAX_FILES);
  const named = files.map(({ post, filename }) => `${quoteName(filename)} (${post.name})`);
  const cites = [...new Set(files.map(({ post }) => post.id))];
  const bullets = [...links, ...(files.length > 0 ? [{ text: `Files: ${named.join(", ")}`, cites }] : [])];
  return bullets.map((bullet, index) => ({ section: "shared", rank: 4 + index, bullet }));
}

function forwardedText({ parts }: Message): string {
  return joinParts(parts.filter(({ kind }) => kind === "forward"));
}

/** Verbatim. Only the shortest reading of each link, which is the one its writer meant. */
function webLinks(content: string): string[] {
  const links = extractLinksWithTrimmed(content)
    .slice(0, MAX_LINKS_READ)
    .filter((link) => /^https?:/i.test(link) && link.length <= MAX_LINK_LENGTH);
  return links.filter((link) => !links.some((other) => other !== link && link.startsWith(other)));
}
