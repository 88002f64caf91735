import { buildThreadForest } from "../src/domain/forest/build-thread-forest.ts";
import type { MessageId } from "../src/domain/ids.ts";
import type { Message } from "../src/domain/message.ts";
import { runAtOnce, UNPACED } from "../src/domain/steps/pace.ts";
import { median, printTable, type Row } from "../test/support/table.ts";
import { type Line, talk } from "../test/support/talk.ts";

const SUBJECTS = ["rope", "soup", "antenna", "sail", "engine", "lantern", "anchor", "paint"];
const SAYINGS = [
  "where is the",
  "I looked after the",
  "somebody took the",
  "is it about the",
  "thanks, that helps with the",
];

/** Eight pairs of people talk at once, here and there with a name in front, about a thing of their own. */
function busyRoom(amount: number): Message[] {
  const lines = Array.from({ length: amount }, (_, index): Line => {
    const pair = (index * 5 + (index >> 3)) % SUBJECTS.length;
    const [speaker, other] = index % 2 === 0 ? ["Ada", "Bo"] : ["Bo", "Ada"];
    const name = index % 3 === 0 ? `${other} ${pair}: ` : "";
    const text = `${name}${SAYINGS[index % SAYINGS.length]} ${SUBJECTS[pair]} number ${index % 17}`;
    return { by: `${speaker} ${pair}`, text, minutesAgo: (amount - index) / 4 };
  });
  return talk(lines);
}

/** What replies alone tell, as one would write it down. */
function groupByReplies(messages: readonly Message[]): Message[][] {
  const threads = new Map<MessageId, Message[]>();
  for (const message of messages) {
    const thread = (message.reply_to && threads.get(message.reply_to.message_id)) ?? [];
    thread.push(message);
    threads.set(message.message_id, thread);
  }
  return [...new Set(threads.values())].reverse();
}

function time(run: () => unknown): number {
  for (let warm = 0; warm < 1_000; warm += 1) run();
  const times = Array.from({ length: 200 }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return median(times);
}

function measureForest(amount: number): Row {
  const messages = busyRoom(amount);
  const replies = time(() => groupByReplies(messages));
  const figure = `${time(() => runAtOnce(buildThreadForest(messages, UNPACED))).toFixed(2)} ms`;
  const threads = runAtOnce(buildThreadForest(messages, UNPACED)).length;
  return { what: `${amount} messages`, figure, note: `${threads} threads; by replies alone ${replies.toFixed(2)} ms` };
}

printTable("Who talks with whom (median, warm)", [100, 1_000].map(measureForest));
