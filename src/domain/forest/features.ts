import { type ConversationState, distanceTo, type Participant, participantOf, postBack } from "./conversation-state.ts";
import { FEATURE } from "./feature-rows.ts";
import { setValue as add, type FeatureVector, setFlag as mark } from "./feature-vector.ts";
import type { ForestPost } from "./forest-posts.ts";
import type { SharedWords } from "./shared-words.ts";

/** The post for which a link is being inferred, with its context. */
export interface LinkContext {
  readonly state: ConversationState;
  readonly post: ForestPost;
  readonly shared: SharedWords;
  /** Its author. */
  readonly me: Participant;
  /** Its author's latest earlier post. */
  readonly own: ForestPost | null;
  readonly previous: ForestPost | undefined;
  /** The latest post of another author. */
  readonly other: ForestPost | undefined;
  /** The people whom its author names next. */
  readonly namedNext: readonly number[];
  /** The next speaker, and the first replier; -1 if there is none. */
  readonly nextAuthor: number;
  readonly replier: number;
}

const MAX_SHORT_WORDS = 3;
const SOON_MINUTES = 1;
const LATE_MINUTES = 5;
const VERY_LATE_MINUTES = 30;
const HOURS_OLD_MINUTES = 180;
const DAY_OLD_MINUTES = 1_440;
/** In longer runs of one author's posts, the search for another author's latest post stops. */
const MAX_RUN = 20;

const NOBODY: readonly number[] = [];

export function createLinkContext(state: ConversationState, post: ForestPost, shared: SharedWords): LinkContext {
  const me = participantOf(state, post.author);
  let back = 1;
  while (back < MAX_RUN && postBack(state, back)?.author === post.author) back += 1;
  return {
    state,
    post,
    shared,
    me,
    own: me.latest,
    previous: postBack(state, 1),
    other: postBack(state, back),
    namedNext: state.nexts[post.index]?.named ?? NOBODY,
    nextAuthor: state.followers[post.index]?.author ?? -1,
    replier: state.repliers[post.index] ?? -1,
  };
}

/** The features of "answers nothing". */
export function describeStart(vector: FeatureVector): void {
  mark(vector, FEATURE.startsThread, true);
}

/** Features of a post that do not depend on the candidate. */
export function describePost(vector: FeatureVector, context: LinkContext): void {
  const { state, post, me, own, previous, nextAuthor } = context;
  const lastNaming = me.namedIn.at(-1);
  mark(vector, FEATURE.postNames, post.named.length > 0);
  mark(vector, FEATURE.postAddresses, post.isAddressed);
  if (own) {
    mark(vector, FEATURE.postHasPast, true);
    add(vector, FEATURE.postPastDistance, scaleCount(distanceTo(state, own)));
    add(vector, FEATURE.postPastGap, scaleMinutes(post.minutes - own.minutes));
    mark(vector, FEATURE.postFollowsItself, own === previous);
    mark(vector, FEATURE.postPastNames, own.named.length > 0);
  }
  mark(vector, FEATURE.postWasNamed, lastNaming !== undefined);
  mark(vector, FEATURE.postWasNamedSince, lastNaming !== undefined && (!own || lastNaming.index > own.index));
  mark(vector, FEATURE.postIsQuestion, post.isQuestion);
  mark(vector, FEATURE.postIsGreeting, post.isGreeting);
  mark(vector, FEATURE.postIsAcknowledgement, post.isAcknowledgement);
  mark(vector, FEATURE.postSaysYou, post.saysYou);
  mark(vector, FEATURE.postIsContinuation, post.isContinuation);
  mark(vector, FEATURE.postIsShort, post.length <= MAX_SHORT_WORDS);
  add(vector, FEATURE.postLength, scaleCount(post.length));
  mark(vector, FEATURE.postIsEmpty, post.length === 0);
  mark(vector, FEATURE.postIsBot, post.isBot);
  mark(vector, FEATURE.postHasFiles, post.hasFiles);
  mark(vector, FEATURE.postHasLink, post.hasLink);
  mark(vector, FEATURE.postGoesOn, nextAuthor === post.author);
  const { pace, people, naming, replying, youth } = state.activity;
  add(vector, FEATURE.silence, previous ? scaleMinutes(post.minutes - previous.minutes) : 1);
  add(vector, FEATURE.pace, scaleMinutes(pace));
  add(vector, FEATURE.activePeople, scaleCount(people));
  add(vector, FEATURE.namingHabit, naming);
  add(vector, FEATURE.replyingHabit, replying);
  add(vector, FEATURE.isYoung, youth);
}

/** Features of a candidate that do not depend on the post. */
export function describeCandidate(
  vector: FeatureVector,
  { followers, posts }: ConversationState,
  candidate: ForestPost,
): void {
  const next = followers[candidate.index];
  mark(vector, FEATURE.names, candidate.named.length > 0);
  mark(vector, FEATURE.addresses, candidate.isAddressed);
  mark(vector, FEATURE.isQuestion, candidate.isQuestion);
  mark(vector, FEATURE.isGreeting, candidate.isGreeting);
  mark(vector, FEATURE.isAcknowledgement, candidate.isAcknowledgement);
  mark(vector, FEATURE.saysYou, candidate.saysYou);
  mark(vector, FEATURE.isShort, candidate.length <= MAX_SHORT_WORDS);
  add(vector, FEATURE.length, scaleCount(candidate.length));
  mark(vector, FEATURE.isEmpty, candidate.length === 0);
  mark(vector, FEATURE.isBot, candidate.isBot);
  mark(vector, FEATURE.hasFiles, candidate.hasFiles);
  mark(vector, FEATURE.hasLink, candidate.hasLink);
  mark(vector, FEATURE.isContinuation, candidate.isContinuation);
  mark(vector, FEATURE.startsRun, posts[candidate.index - 1]?.author !== candidate.author);
  mark(vector, FEATURE.endsRun, next !== undefined && next.author !== candidate.author);
  add(vector, FEATURE.silenceAfter, next ? scaleMinutes(next.minutes - candidate.minutes) : 0);
}

/** Features of a post together with a candidate. */
export function describePair(vector: FeatureVector, context: LinkContext, candidate: ForestPost): void {
  describeDistance(vector, context, candidate);
  describeOrder(vector, context, candidate);
  describeNaming(vector, context, candidate);
  describeThread(vector, context, candidate);
  describePeople(vector, context, candidate);
}

function describeDistance(vector: FeatureVector, { state, post, other }: LinkContext, candidate: ForestPost): void {
  const distance = distanceTo(state, candidate);
  const gap = post.minutes - candidate.minutes;
  mark(vector, FEATURE.isPrevious, distance === 1);
  mark(vector, FEATURE.isLastButOne, distance === 2);
  add(vector, FEATURE.distance, scaleCount(distance - 1));
  add(vector, FEATURE.gap, scaleMinutes(gap));
  mark(vector, FEATURE.isSoon, gap <= SOON_MINUTES);
  if (gap > LATE_MINUTES) {
    mark(vector, FEATURE.isLate, true);
    mark(vector, FEATURE.isVeryLate, gap > VERY_LATE_MINUTES);
    mark(vector, FEATURE.isHoursOld, gap > HOURS_OLD_MINUTES);
    mark(vector, FEATURE.isDayOld, gap > DAY_OLD_MINUTES);
  }
  mark(vector, FEATURE.isLatestOther, candidate === other);
  mark(vector, FEATURE.isOfLatestOther, other !== undefined && candidate.author === other.author);
  mark(vector, FEATURE.questionThenNone, candidate.isQuestion && !post.isQuestion);
}

/** The position of the candidate among the posts since the author last spoke. People who catch up reply to one message after the other. */
function describeOrder(vector: FeatureVector, { state, own }: LinkContext, candidate: ForestPost): void {
  if (!own) return;
  mark(vector, FEATURE.isFirstSinceOwn, state.followers[own.index] === candidate);
  const replied = state.explicit[own.index];
  if (typeof replied !== "number") return;
  mark(vector, FEATURE.isOwnLastTarget, replied === candidate.index);
  mark(vector, FEATURE.isAfterOwnLastTarget, replied < candidate.index);
}

function describeNaming(vector: FeatureVector, { post }: LinkContext, candidate: ForestPost): void {
  if (post.named.length > 0) {
    const isNamed = post.named.includes(candidate.author);
    mark(vector, FEATURE.isNamed, isNamed);
    mark(vector, FEATURE.isNotNamed, !isNamed);
    mark(vector, FEATURE.isAddressed, post.isAddressed && post.named[0] === candidate.author);
  }
  if (candidate.named.length === 0) return;
  const namesMe = candidate.named.includes(post.author);
  mark(vector, FEATURE.namesMe, namesMe);
  mark(vector, FEATURE.namesOnlyOthers, !namesMe);
  if (post.named.length === 0) return;
  const namesTheSame = post.named.some((one) => candidate.named.includes(one));
  mark(vector, FEATURE.namesTheSame, namesTheSame);
  mark(vector, FEATURE.sameAuthorOtherNamed, !namesTheSame && post.author === candidate.author);
}

/** Features of the thread that the candidate is in. */
function describeThread(vector: FeatureVector, { state, post, shared, own }: LinkContext, candidate: ForestPost): void {
  const place = candidate.index;
  const answers = state.answers[place] ?? 0;
  mark(vector, FEATURE.isUnanswered, answers === 0);
  mark(vector, FEATURE.isAnsweredOften, answers > 1);
  const thread = state.threads[place];
  if (!thread) return;
  add(vector, FEATURE.threadSize, scaleCount(thread.size));
  const words = shared.threads[thread.number] ?? 0;
  if (words > 0) {
    add(vector, FEATURE.threadWords, scaleWords(words));
    const sum = shared.sums[place] ?? 0;
    if (sum > 0) {
      add(vector, FEATURE.sharedWords, scaleWords(sum));
      add(vector, FEATURE.sharedPart, sum / shared.total);
      add(vector, FEATURE.rarestShared, shared.most[place] ?? 0);
      mark(vector, FEATURE.hasMostWords, sum >= shared.highest);
    }
  }
  mark(vector, FEATURE.startedThread, state.targets[place] === -1);
  mark(vector, FEATURE.isLatestOfThread, thread.latest === place);
  if (own) {
    mark(vector, FEATURE.isOwnThread, thread === state.threads[own.index]);
    mark(vector, FEATURE.amInThread, thread.people.has(post.author));
  }
  for (const one of post.named)
    if (thread.people.has(one)) {
      mark(vector, FEATURE.namedIsInThread, true);
      break;
    }
}

/** Features of earlier interaction between the two authors. */
function describePeople(vector: FeatureVector, context: LinkContext, candidate: ForestPost): void {
  const { state, post, me, own, previous, namedNext, nextAuthor, replier } = context;
  const spokeSince = own !== null && own.index > candidate.index;
  mark(vector, FEATURE.spokeSince, spokeSince);
  if (post.author === candidate.author) {
    mark(vector, FEATURE.sameAuthor, true);
    mark(vector, FEATURE.sameRun, candidate === previous);
    mark(vector, FEATURE.isOwnLatest, candidate === own);
    return;
  }
  const them = participantOf(state, candidate.author);
  const theirs = them.latest ?? candidate;
  mark(vector, FEATURE.isTheirLatest, candidate === theirs);
  mark(vector, FEATURE.namesMeUnanswered, !spokeSince && names(candidate, post.author));
  mark(vector, FEATURE.haveNamedThem, me.named.size > 0 && me.named.has(candidate.author));
  mark(vector, FEATURE.haveNamedMe, them.named.size > 0 && them.named.has(post.author));
  mark(vector, FEATURE.lastNamedThem, me.lastNamed === candidate.author);
  mark(vector, FEATURE.lastNamedMe, them.lastNamed === post.author);
  mark(vector, FEATURE.nameThemNext, namedNext.length > 0 && namedNext.includes(candidate.author));
  mark(vector, FEATURE.nameMeNext, names(state.nexts[theirs.index], post.author));
  const target = state.targets[candidate.index] ?? -1;
  mark(vector, FEATURE.answersMe, target >= 0 && state.posts[target]?.author === post.author);
  mark(vector, FEATURE.replyNext, replier === candidate.author);
  mark(vector, FEATURE.speakNext, nextAuthor === candidate.author);
  mark(vector, FEATURE.isPartner, me.partner === candidate.author);
  mark(vector, FEATURE.amPartner, them.partner === post.author);
}

function names(post: ForestPost | undefined, person: number): boolean {
  return post !== undefined && post.named.length > 0 && post.named.includes(person);
}

/** Logarithmic; 100 becomes 1. */
function scaleCount(count: number): number {
  return Math.min(1.2, count < LOGARITHMS.length ? (LOGARITHMS[count] ?? 0) : Math.log1p(count) * PER_HUNDRED);
}

/** Eight rare words become 1. */
function scaleWords(sum: number): number {
  return Math.min(1.2, sum / 8);
}

/** Logarithmic; a day becomes 1. */
function scaleMinutes(minutes: number): number {
  return minutes <= 0 ? 0 : Math.min(1.2, Math.log1p(minutes) * PER_DAY);
}

const PER_HUNDRED = 1 / Math.log1p(100);
const PER_DAY = 1 / Math.log1p(24 * 60);
/** Precomputed, because counts are scaled very often. */
const LOGARITHMS = Float64Array.from({ length: 128 }, (_, count) => Math.log1p(count) * PER_HUNDRED);
