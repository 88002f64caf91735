import { toRelativeTime } from "../text/relative-time.ts";
import type { Point } from "./point.ts";
import { count, listNames, speakersOf } from "./speakers.ts";
import type { SummaryPost } from "./summary-posts.ts";

const MAX_NAMES = 3;

/** How many messages, by whom and when. `of` is the number of messages before filtering by the focus. */
export function describeOverview(posts: readonly SummaryPost[], { of, now }: { of: number; now: number }): Point[] {
  const [first, last] = [posts[0], posts.at(-1)];
  if (of === 0) return [];
  if (!first || !last) return toPoint(`Nothing about that in ${count(of, "message")}.`, []);
  const amount =
    posts.length === of ? count(of, "message") : `${posts.length} of ${count(of, "message")} concern that,`;
  const speakers = speakersOf(posts);
  const people = speakers.filter(({ bot }) => !bot).length;
  const bots = speakers.length - people;
  const by = [people > 0 && count(people, "person", "people"), bots > 0 && count(bots, "bot")].filter(Boolean);
  const busiest = speakers.slice(0, MAX_NAMES).filter(({ messages }) => messages > 1);
  const named = busiest.map(({ name, messages }) => `${name} (${messages})`);
  const most = speakers.length > MAX_NAMES && named.length > 0 ? `, most by ${listNames(named, MAX_NAMES)}` : "";
  const who =
    speakers.length > MAX_NAMES
      ? by.join(" and ")
      : listNames(
          speakers.map(({ name }) => name),
          MAX_NAMES,
        );
  const [from, to] = [toRelativeTime(first.message.ts, now), toRelativeTime(last.message.ts, now)];
  const when = from === to ? from : `from ${from} until ${to}`;
  return toPoint(`${amount} by ${who}${most}; ${when}.`, first === last ? [first] : [first, last]);
}

function toPoint(text: string, posts: readonly SummaryPost[]): Point[] {
  return [{ section: "overview", rank: 0, bullet: { text, cites: posts.map(({ id }) => id) } }];
}
