/** A figure must not fall below `least` or rise above `most`. */
export interface Floor {
  readonly least?: number;
  readonly most?: number;
}

/**
 * By evaluation and by what it measures. For questions a floor is what was measured last, which may be less than what is aimed at; for all else it is
 * what must hold.
 */
export const FLOORS: Readonly<Record<string, Readonly<Record<string, Floor>>>> = {
  search: {
    "LoCoMo, evidence in the first 1": { least: 43.3 },
    "LoCoMo, evidence in the first 5": { least: 74.2 },
    "LoCoMo, evidence in the first 10": { least: 82.4 },
  },
  names: { "names resolved": { least: 74.7 }, "names resolved wrongly": { most: 4 } },
  forest: {
    "Discord, all replies hidden": { least: 67 },
    "Discord, all replies hidden: certainty off by": { most: 4 },
    "Discord, half of the replies hidden: certainty off by": { most: 4 },
    "IRC, links F": { least: 73.6 },
    "IRC, one to one": { least: 82.6 },
    "IRC, certainty off by": { most: 4 },
  },
  "forest-across": {
    "taught on IRC, Discord, all replies hidden": { least: 49 },
    "taught on IRC, Discord, half of the replies hidden": { least: 52 },
    "taught on IRC, Discord, all replies hidden: certainty off by": { most: 4 },
    "taught on IRC, Discord, half of the replies hidden: certainty off by": { most: 4 },
  },
  agent: { leaks: { most: 0 } },
  questions: {
    "search from room, gold in the first 1": { least: 31.4 },
    "search from room, gold in the first 5": { least: 66.6 },
    "search from room, gold in the first 10": { least: 79.6 },
    "search from elsewhere, gold in the first 1": { least: 27.7 },
    "search from elsewhere, gold in the first 5": { least: 55.5 },
    "search from elsewhere, gold in the first 10": { least: 62.9 },
    "search from nowhere, gold in the first 1": { least: 27.7 },
    "search from nowhere, gold in the first 5": { least: 55.5 },
    "search from nowhere, gold in the first 10": { least: 62.9 },
    "follow-ups, agent cites gold": { least: 76.9 },
    "outdated message first": { most: 33.4 },
    "agent cites gold": { least: 70.3 },
    "answerable, sure": { least: 11.1 },
    "right when sure": { least: 90 },
    "misled: sure, and not right": { most: 3 },
    "unanswerable, claims nothing": { least: 91.6 },
    "answerable, nothing found": { most: 5 },
  },
};
