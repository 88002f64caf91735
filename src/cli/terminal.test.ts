import { expect, it } from "vitest";
import { createTerminal } from "./terminal.ts";

const ERASE_LINE = "\r\u001b[K";

/** The screen of a terminal: an erased line leaves only the text after it. */
function openScreen(isTTY: boolean) {
  let text = "";
  const write = (more: string) => {
    for (const [index, part] of more.split(ERASE_LINE).entries())
      text = index === 0 ? text + part : text.slice(0, text.lastIndexOf("\n") + 1) + part;
  };
  const terminal = createTerminal({ write }, { isTTY, write });
  return { terminal, shown: () => text };
}

it("a note overwrites the one before, and is wiped before a result is printed", () => {
  const { terminal, shown } = openScreen(true);
  terminal.note("looked at 100 messages");
  terminal.note("looked at 2");
  expect(shown()).toBe("looked at 2");
  terminal.print("a result");
  terminal.print("another");
  expect(shown()).toBe("a result\nanother\n");
});

it("a note is wiped before a complaint, and at the end of a command that prints nothing", () => {
  const { terminal, shown } = openScreen(true);
  terminal.note("looked at 100 messages");
  terminal.complain("refused");
  terminal.note("looked at 200 messages");
  terminal.end();
  terminal.end();
  expect(shown()).toBe("refused\n");
});

it("notes are not written where no terminal is", () => {
  const { terminal, shown } = openScreen(false);
  terminal.note("looked at 100 messages");
  terminal.print("a result");
  terminal.end();
  expect(shown()).toBe("a result\n");
});
