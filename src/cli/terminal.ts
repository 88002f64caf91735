interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** How a command speaks to the person who started it. */
export interface Terminal {
  /** A person reads what is printed, not a file or another program. */
  readonly isTerminal: boolean;
  /** A line of the result. */
  print(line: string): void;
  /** A line about what went wrong. */
  complain(line: string): void;
  /** How something long is going: one line that the next one overwrites. Only a terminal gets it; in a file it would be noise. */
  note(line: string): void;
  /** Wipes the note. */
  end(): void;
}

const WIPE = "\r\u001b[K";

/** Whatever is written after a note takes its place, so that no half of it stays. */
export function createTerminal(stdout: Output, stderr: Output): Terminal {
  let isNoted = false;
  const end = () => {
    if (isNoted) stderr.write(WIPE);
    isNoted = false;
  };
  return {
    isTerminal: stdout.isTTY === true,
    print(line) {
      end();
      stdout.write(`${line}\n`);
    },
    complain(line) {
      end();
      stderr.write(`${line}\n`);
    },
    note(line) {
      if (!stderr.isTTY) return;
      stderr.write(WIPE + line);
      isNoted = true;
    },
    end,
  };
}
