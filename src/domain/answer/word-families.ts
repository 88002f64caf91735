import { toStem } from "../search/stem.ts";

/** Forms of English words that have no stem in common. */
const IRREGULAR = [
  ...[
    "find found",
    "win won winner winning",
    "buy bought",
    "bring brought",
    "choose chose chosen choice",
    "break broke broken",
  ],
  ...[
    "leave left leaving",
    "meet met meeting",
    "pay paid payment",
    "build built building",
    "make made",
    "sell sold sale",
  ],
  ...[
    "begin began begun",
    "go went gone",
    "come came",
    "take took taken",
    "give gave given",
    "see saw seen",
    "eat ate eaten",
  ],
  ...[
    "write wrote written",
    "speak spoke spoken",
    "lose lost loss",
    "hide hid hidden",
    "steal stole stolen",
    "swim swam",
  ],
  ...[
    "teach taught teacher",
    "catch caught",
    "think thought",
    "hold held",
    "keep kept",
    "send sent",
    "spend spent",
    "drive drove",
  ],
  ...[
    "grow grew grown",
    "know knew known",
    "throw threw",
    "fly flew flown",
    "draw drew drawn drawing",
    "fall fell fallen",
  ],
  ...[
    "feel felt",
    "tell told",
    "stand stood",
    "sing sang sung singing song",
    "die died dead death",
    "lead led",
    "sleep slept",
  ],
  ...[
    "decide decision",
    "announce announcement",
    "arrive arrival",
    "move moved",
    "close closed",
    "paint painted painting",
  ],
  ...["person people", "child children kid kids", "foot feet", "man men", "woman women", "mouse mice", "tooth teeth"],
];

/** Words that people use for the same thing. */
const RELATED = [
  ...[
    "price cost costs fee fees pay expensive cheap",
    "picture photo image pic photos screenshot",
    "boat ship vessel hull",
  ],
  ...[
    "colour color colours colors paint painted green red blue white black orange yellow brown",
    "begin start starts started",
    "decide decided decision vote agreed chose chosen",
  ],
  ...[
    "fix fixed repair repaired solved",
    "move moved shifted postponed rescheduled",
    "deadline due",
    "buy bought ordered purchased",
  ],
  ...[
    "wifi internet network",
    "exam test",
    "present gift",
    "job post position work",
    "salary pay wage",
    "win won prize winner",
  ],
  ...[
    "pub bar",
    "called named name",
    "recommend recommendation suggest",
    "dead died broke broken failed",
    "trip ride tour",
  ],
  ...[
    "arrive arrives arrived come comes",
    "leave leaves departure go",
    "meeting session call",
    "rule rules",
    "car van vehicle",
  ],
  ...[
    "document file doc pdf",
    "party celebration",
    "doctor dr",
    "flat apartment room attic",
    "key keys",
    "size length height width",
  ],
  ...[
    "allowed may can permitted",
    "closed shut",
    "bug error problem issue fault",
    "happy glad",
    "scared afraid nervous",
  ],
  ...["harbour harbor", "grey gray", "metre meter", "centre center", "favourite favorite", "organise organize"],
];

/** Says little about what a question is about, even where it is rare. */
const LIGHT = new Set(
  `decide decision plan best good new main current next final finally official officially come take put set let work start think better first second
  latest update news situation status story deal reason happen use try look still sure actual way bring whole exact find make have get do go give help
  mean pay available according brought need keep tell ask answer know want see run turn begin end show leave call add change place currently thing
  someone money number kind big small long choose choice settle agree tonight tomorrow actually enough`
    .split(/\s+/u)
    .map(toStem),
);

const FAMILIES = new Map<string, Set<string>>();
for (const [lists, weight] of [
  [IRREGULAR, 1],
  [RELATED, 2],
] as const)
  for (const list of lists) {
    const stems = [...new Set(list.split(" ").map(toStem))];
    for (const stem of stems) {
      const key = `${weight} ${stem}`;
      FAMILIES.set(key, new Set([...(FAMILIES.get(key) ?? []), ...stems]));
    }
  }

/** Stems of other forms of the same word. */
export function formsOf(stem: string): readonly string[] {
  return [...(FAMILIES.get(`1 ${stem}`) ?? [])].filter((each) => each !== stem);
}

/** Stems of words for the same thing. */
export function relatedTo(stem: string): readonly string[] {
  return [...(FAMILIES.get(`2 ${stem}`) ?? [])].filter((each) => each !== stem);
}

/** Whether other forms of it, or other words for it, are known. */
export function isFamilyWord(stem: string): boolean {
  return FAMILIES.has(`1 ${stem}`) || FAMILIES.has(`2 ${stem}`);
}

export function isLightWord(stem: string): boolean {
  return LIGHT.has(stem) || formsOf(stem).some((form) => LIGHT.has(form));
}
