import type { CommandOffer, SubcommandGroupOffer } from "../../ports/discord.ts";

export const ASK = "agent";
export const CONNECTIONS = "connections";
export const ASK_ABOUT = "Ask about this";
export const FIND = "find";
export const CATCH_UP = "catchup";
export const WHAT_LED_UP = "What led up to this?";
export const REMEMBER_THIS = "Remember this";
const PRIVACY = "privacy";
export const SHOW_PRIVACY = `${PRIVACY} show`;
export const LEAVE_ME_OUT = `${PRIVACY} leave-me-out`;
export const INCLUDE_ME = `${PRIVACY} include-me`;
export const ERASE_ME = `${PRIVACY} erase`;
const MEMORY = "memory";
export const REMEMBER = `${MEMORY} remember`;
export const LIST_FACTS = `${MEMORY} list`;
export const FORGET = `${MEMORY} forget`;
export const WHY = `${MEMORY} why`;
export const REVIEW_FACTS = `${MEMORY} review`;
export const EXPORT_FACTS = `${MEMORY} export`;
const ADMIN = "admin";
export const ADMIN_LIST = `${MEMORY} ${ADMIN} list`;
export const ADMIN_FORGET = `${MEMORY} ${ADMIN} forget`;

const WHERE = { name: "in", about: "Only in this channel", type: "text", isSuggested: true, most: 100 } as const;
const SINCE = { name: "since", type: "text", most: 100 } as const;

export const SHARE_CHOICES = [
  { label: "only me", value: "private" },
  { label: "this channel", value: "project" },
  { label: "this server", value: "org" },
] as const;

/** Commands for asking the agent. */
export const AGENT_COMMANDS: readonly CommandOffer[] = [
  {
    kind: "typed",
    name: ASK,
    about: "Ask about what was said; without a question, see what waits for your review",
    options: [
      { name: "question", about: "What you want to know; left out: what waits for you", type: "text", most: 1_000 },
      { name: "private", about: "Whether only you see the answer; you do when left out", type: "flag" },
      {
        name: CONNECTIONS,
        about: "The programs that you signed in with Discord, and how to end them",
        type: "text",
        choices: [{ label: "show", value: "show" }],
      },
    ],
  },
  { kind: "menu", name: ASK_ABOUT },
];

/** The admin group of `/memory`. Discord shows a group to all members or to none; permission is checked on use. */
const MEMORY_ADMIN: SubcommandGroupOffer = {
  name: ADMIN,
  about: "What is shared in this server, for those who manage it; only you see the answer",
  subcommands: [
    {
      name: "list",
      about: "What is shared in this server that you may hear, the newest first",
      options: [{ name: "page", about: "Which page of the list", type: "number", most: 10_000 }],
    },
    {
      name: "forget",
      about: "Have something that is shared in this server forgotten for good; you are shown first what",
      options: [{ name: "fact", about: "Its key or id", type: "text", isRequired: true, isSuggested: true }],
    },
  ],
};

export const COMMANDS: readonly CommandOffer[] = [
  {
    kind: "typed",
    name: FIND,
    about: "Find what was said, among all that you can read; only you see the answer",
    options: [
      { name: "query", about: "Words, or a question", type: "text", isRequired: true, most: 400 },
      WHERE,
      { name: "from", about: "Only by this person", type: "person" },
      { ...SINCE, about: "Not before: yesterday, last Tuesday, 2026-11-02" },
    ],
  },
  {
    kind: "typed",
    name: CATCH_UP,
    about: "What you missed here, in short; only you see the answer",
    options: [
      { ...SINCE, about: "2 hours, this morning, Monday; since you were last here when left out" },
      { name: "focus", about: "What you are interested in", type: "text", most: 200 },
      { ...WHERE, about: "In this channel; here when left out" },
    ],
  },
  { kind: "menu", name: WHAT_LED_UP },
  { kind: "menu", name: REMEMBER_THIS },
  {
    kind: "group",
    name: PRIVACY,
    about: "Decide whether what you write is used; only you see the answer",
    subcommands: [
      { name: "show", about: "Whether your messages are used, what is kept, and what you can do" },
      { name: "leave-me-out", about: "Leave your messages out, at once and in every server" },
      { name: "include-me", about: "Have your messages used again" },
      { name: "erase", about: "Erase what is held about you; you are shown first what goes and what stays" },
    ],
  },
  {
    kind: "group",
    name: MEMORY,
    about: "What is remembered about you; only you see the answer",
    subcommands: [
      {
        name: "remember",
        about: "Have something remembered about yourself; you are shown first who will hear it",
        options: [
          { name: "key", about: "What it is called, such as: time zone", type: "text", isRequired: true },
          { name: "value", about: "What is remembered, such as: Europe/Berlin", type: "text", isRequired: true },
          {
            name: "share",
            about: "Who may hear it; only you when left out",
            type: "text",
            choices: SHARE_CHOICES,
          },
          { name: "days", about: "For how many days", type: "number", most: 3_650 },
        ],
      },
      {
        name: "list",
        about: "What is remembered about you, the newest first",
        options: [{ name: "page", about: "Which page of the list", type: "number", most: 1_000 }],
      },
      {
        name: "why",
        about: "What a fact about you rests on, who hears it, and how often it was used",
        options: [{ name: "fact", about: "Which one", type: "text", isRequired: true, isSuggested: true }],
      },
      {
        name: "review",
        about: "Facts about you that are not in use, were not used for a year, or end soon: keep or forget",
        options: [{ name: "page", about: "Which page of the list", type: "number", most: 1_000 }],
      },
      {
        name: "forget",
        about: "Have something forgotten for good",
        options: [{ name: "fact", about: "Which one", type: "text", isRequired: true, isSuggested: true }],
      },
      { name: "export", about: "All that is remembered about you, as a file" },
      MEMORY_ADMIN,
    ],
  },
];
