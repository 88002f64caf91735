/**
 * How far the network is trusted in one channel. Begins as the network was learned; each reply that the reader sees shows how right the network
 * would have been, so replies decide about the messages after them.
 */
export interface Trust {
  /** Multiplies all scores: below 1 the network is less certain than it was taught to be. */
  scale: number;
  /** Added to the score of the previous other author's latest post. */
  bonus: number;
  replies: number;
}

/** The scores of the posts that a reply could have answered, the likelihoods made of them, and which one it did answer. */
export interface SeenReply {
  readonly scores: readonly number[];
  readonly likelihoods: readonly number[];
  readonly target: number;
  /** The place of the latest post of another author; -1 for none. */
  readonly other: number;
}

const RATE = 0.3;
/** The rate falls to 1/√2 after this many replies. */
const STEADY_REPLIES = 10;
/** A scale changes all scores at once, so it moves more slowly. */
const SCALE_RATE = 0.1;
const MAX_SURPRISE = 3;
const [MIN_SCALE, MAX_SCALE] = [0.1, 2];

export function createTrust(): Trust {
  return { scale: 1, bonus: 0, replies: 0 };
}

/** One step of gradient ascent on the likelihood of the reply's target, given that the reply answers one of the posts. */
export function learnFromReply(trust: Trust, { scores, likelihoods, target, other }: SeenReply): void {
  let [sum, expected] = [0, 0];
  for (let place = 0; place < scores.length; place += 1) {
    sum += likelihoods[place] ?? 0;
    expected += (likelihoods[place] ?? 0) * (scores[place] ?? 0);
  }
  if (sum === 0) return;
  const surprise = (scores[target] ?? 0) - expected / sum;
  trust.replies += 1;
  const rate = RATE / Math.sqrt(1 + trust.replies / STEADY_REPLIES);
  const scale = trust.scale + rate * SCALE_RATE * Math.max(-MAX_SURPRISE, Math.min(MAX_SURPRISE, surprise));
  trust.scale = Math.max(MIN_SCALE, Math.min(MAX_SCALE, scale));
  trust.bonus += rate * (Number(target === other) - (likelihoods[other] ?? 0) / sum);
}
