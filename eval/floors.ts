/** A figure must not fall below `least` or rise above `most`. */
export interface Floor {
  readonly least?: number;
  readonly most?: number;
}

/** By evaluation and by what it measures. */
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
  questions: {
    "search from room, gold in the first 1": { least: 35 },
    "search from room, gold in the first 5": { least: 60 },
    "search from room, gold in the first 10": { least: 70 },
    "search from elsewhere, gold in the first 1": { least: 23 },
    "search from elsewhere, gold in the first 5": { least: 40 },
    "search from elsewhere, gold in the first 10": { least: 48 },
    "search from nowhere, gold in the first 1": { least: 23 },
    "search from nowhere, gold in the first 5": { least: 40 },
    "search from nowhere, gold in the first 10": { least: 48 },
    "follow-ups, agent cites gold": { least: 35 },
    "outdated message first": { most: 6.7 },
    "agent cites gold": { least: 50 },
    "answerable, sure": { least: 10 },
    "right when sure": { least: 90 },
    "misled: sure, and not right": { most: 3 },
    "unanswerable, claims nothing": { least: 91.6 },
    "answerable, nothing found": { most: 5 },
  },
};
