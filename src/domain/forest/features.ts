import { FEATURE, FEATURE_COUNT } from "./feature-rows.ts";
import type { Post } from "./posts.ts";
import type { SharedWords } from "./shared-words.ts";
import type { TalkSoFar } from "./talk-so-far.ts";

/** The features that are not 0. One list is used again and again: whoever describes something adds to it. */
export interface Traits {
  readonly features: Int32Array;
  readonly values: Float64Array;
  count: number;
}

export interface Pair {
  readonly post: Post;
  readonly candidate: Post;
  readonly shared: SharedWords;
}

const SHORT = 3;
/** Minutes. */
const SOON = 1;
const LATE = 5;
const VERY_LATE = 30;

export function noTraits(): Traits {
  return { features: new Int32Array(FEATURE_COUNT), values: new Float64Array(FEATURE_COUNT), count: 0 };
}

/** That a post answers none. */
export function describeStart(traits: Traits): void {
  mark(traits, FEATURE.startsAnew, true);
}

/** What holds of a post whatever it answers. */
export function describePost(traits: Traits, post: Post, talk: TalkSoFar): void {
  const { latest: own, namedIn } = talk.person(post.author);
  const previous = talk.back(1);
  const lastNaming = namedIn.at(-1);
  mark(traits, FEATURE.postNames, post.named.length > 0);
  mark(traits, FEATURE.postAddresses, post.isAddressed);
  if (own) {
    mark(traits, FEATURE.postHasPast, true);
    add(traits, FEATURE.postPastDistance, scaleCount(talk.distance(own)));
    add(traits, FEATURE.postPastGap, scaleMinutes(post.minutes - own.minutes));
    mark(traits, FEATURE.postFollowsItself, own === previous);
    mark(traits, FEATURE.postPastNames, own.named.length > 0);
  }
  mark(traits, FEATURE.postWasNamed, lastNaming !== undefined);
  mark(traits, FEATURE.postWasNamedSince, lastNaming !== undefined && (!own || lastNaming.index > own.index));
  mark(traits, FEATURE.postAsks, post.asks);
  mark(traits, FEATURE.postGreets, post.greets);
  mark(traits, FEATURE.postAcknowledges, post.acknowledges);
  mark(traits, FEATURE.postSaysYou, post.saysYou);
  mark(traits, FEATURE.postGoesOn, post.goesOn);
  mark(traits, FEATURE.postIsShort, post.length <= SHORT);
  add(traits, FEATURE.postLength, scaleCount(post.length));
  mark(traits, FEATURE.postIsEmpty, post.length === 0);
  mark(traits, FEATURE.postIsBot, post.isBot);
  const { pace, people, naming, youth } = talk.room;
  add(traits, FEATURE.silence, previous ? scaleMinutes(post.minutes - previous.minutes) : 1);
  add(traits, FEATURE.pace, scaleMinutes(pace));
  add(traits, FEATURE.crowd, scaleCount(people));
  add(traits, FEATURE.namingHabit, naming);
  add(traits, FEATURE.isYoung, youth);
}

/** What holds of a post whoever answers it. */
export function describeCandidate(traits: Traits, candidate: Post): void {
  mark(traits, FEATURE.names, candidate.named.length > 0);
  mark(traits, FEATURE.addresses, candidate.isAddressed);
  mark(traits, FEATURE.asks, candidate.asks);
  mark(traits, FEATURE.greets, candidate.greets);
  mark(traits, FEATURE.acknowledges, candidate.acknowledges);
  mark(traits, FEATURE.saysYou, candidate.saysYou);
  mark(traits, FEATURE.isShort, candidate.length <= SHORT);
  add(traits, FEATURE.length, scaleCount(candidate.length));
  mark(traits, FEATURE.isEmpty, candidate.length === 0);
  mark(traits, FEATURE.isBot, candidate.isBot);
}

/** What holds of a post and one that it may answer. */
export function describePair(traits: Traits, pair: Pair, talk: TalkSoFar): void {
  describeDistance(traits, pair, talk);
  describeNaming(traits, pair);
  describeStrand(traits, pair, talk);
  describePeople(traits, pair, talk);
}

function describeDistance(traits: Traits, { post, candidate }: Pair, talk: TalkSoFar): void {
  const distance = talk.distance(candidate);
  const gap = post.minutes - candidate.minutes;
  mark(traits, FEATURE.isPrevious, distance === 1);
  mark(traits, FEATURE.isLastButOne, distance === 2);
  add(traits, FEATURE.distance, scaleCount(distance - 1));
  add(traits, FEATURE.gap, scaleMinutes(gap));
  mark(traits, FEATURE.isSoon, gap <= SOON);
  mark(traits, FEATURE.isLate, gap > LATE);
  mark(traits, FEATURE.isVeryLate, gap > VERY_LATE);
  mark(traits, FEATURE.questionThenNone, candidate.asks && !post.asks);
}

function describeNaming(traits: Traits, { post, candidate }: Pair): void {
  if (post.named.length > 0) {
    const isNamed = post.named.includes(candidate.author);
    mark(traits, FEATURE.isNamed, isNamed);
    mark(traits, FEATURE.isNotNamed, !isNamed);
    mark(traits, FEATURE.isAddressed, post.isAddressed && post.named[0] === candidate.author);
  }
  if (candidate.named.length === 0) return;
  const namesMe = candidate.named.includes(post.author);
  mark(traits, FEATURE.namesMe, namesMe);
  mark(traits, FEATURE.namesOnlyOthers, !namesMe);
  if (post.named.length === 0) return;
  const namesTheSame = post.named.some((one) => candidate.named.includes(one));
  mark(traits, FEATURE.namesTheSame, namesTheSame);
  mark(traits, FEATURE.sameAuthorOtherNamed, !namesTheSame && post.author === candidate.author);
}

/** What is known of the thread that the candidate is in. */
function describeStrand(traits: Traits, { post, candidate, shared }: Pair, talk: TalkSoFar): void {
  const answers = talk.answers[candidate.index] ?? 0;
  mark(traits, FEATURE.isUnanswered, answers === 0);
  mark(traits, FEATURE.isAnsweredOften, answers > 1);
  const strand = talk.strand(candidate.index);
  if (!strand) return;
  if (shared.posts.size > 0) {
    const words = shared.posts.get(candidate.index);
    if (words) {
      add(traits, FEATURE.sharedWords, scaleWords(words.sum));
      add(traits, FEATURE.rarestShared, words.most);
    }
    add(traits, FEATURE.strandWords, scaleWords(shared.strands.get(strand) ?? 0));
  }
  mark(traits, FEATURE.startedStrand, talk.targets[candidate.index] === -1);
  mark(traits, FEATURE.isLatestOfStrand, strand.latest === candidate.index);
  add(traits, FEATURE.strandSize, scaleCount(strand.size));
  const own = talk.person(post.author).latest;
  if (own) {
    mark(traits, FEATURE.isOwnStrand, strand === talk.strand(own.index));
    mark(traits, FEATURE.amInStrand, strand.people.has(post.author));
  }
  for (const one of post.named)
    if (strand.people.has(one)) {
      mark(traits, FEATURE.namedIsInStrand, true);
      break;
    }
}

/** What the authors of both have had to do with each other. */
function describePeople(traits: Traits, { post, candidate }: Pair, talk: TalkSoFar): void {
  const me = talk.person(post.author);
  const own = me.latest;
  const spokeSince = own !== null && own.index > candidate.index;
  mark(traits, FEATURE.spokeSince, spokeSince);
  if (post.author === candidate.author) {
    mark(traits, FEATURE.sameAuthor, true);
    mark(traits, FEATURE.sameRun, talk.back(1) === candidate);
    mark(traits, FEATURE.isOwnLatest, candidate === own);
    return;
  }
  const them = talk.person(candidate.author);
  const theirs = them.latest ?? candidate;
  mark(traits, FEATURE.isTheirLatest, candidate === theirs);
  mark(traits, FEATURE.namesMeUnanswered, !spokeSince && candidate.named.includes(post.author));
  mark(traits, FEATURE.haveNamedThem, me.named.size > 0 && me.named.has(candidate.author));
  mark(traits, FEATURE.haveNamedMe, them.named.size > 0 && them.named.has(post.author));
  mark(traits, FEATURE.lastNamedThem, me.lastNamed === candidate.author);
  mark(traits, FEATURE.lastNamedMe, them.lastNamed === post.author);
  mark(traits, FEATURE.nameThemNext, talk.next(post)?.named.includes(candidate.author) === true);
  mark(traits, FEATURE.nameMeNext, talk.next(theirs)?.named.includes(post.author) === true);
  const target = talk.posts[talk.targets[candidate.index] ?? -1];
  mark(traits, FEATURE.answersMe, target !== undefined && target.author === post.author);
  mark(traits, FEATURE.isPartner, me.partner === candidate.author);
  mark(traits, FEATURE.amPartner, them.partner === post.author);
}

function mark(traits: Traits, feature: number, holds: boolean): void {
  if (holds) add(traits, feature, 1);
}

function add(traits: Traits, feature: number, value: number): void {
  traits.features[traits.count] = feature;
  traits.values[traits.count] = value;
  traits.count += 1;
}

/** 1 for a hundred; fine for little and coarse for much. */
function scaleCount(count: number): number {
  return Math.min(1.2, count < LOGARITHMS.length ? (LOGARITHMS[count] ?? 0) : Math.log1p(count) * PER_HUNDRED);
}

/** 1 for eight rare words. */
function scaleWords(sum: number): number {
  return Math.min(1.2, sum / 8);
}

/** 1 for a day. */
function scaleMinutes(minutes: number): number {
  return minutes <= 0 ? 0 : Math.min(1.2, Math.log1p(minutes) * PER_DAY);
}

const PER_HUNDRED = 1 / Math.log1p(100);
const PER_DAY = 1 / Math.log1p(24 * 60);
/** Asked for all the time. */
const LOGARITHMS = Float64Array.from({ length: 128 }, (_, count) => Math.log1p(count) * PER_HUNDRED);
