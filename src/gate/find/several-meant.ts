import { EarshotError } from "../../domain/errors.ts";
import type { Named } from "../../domain/names/resolve-name.ts";
import { quoteInput } from "../../domain/text/escape.ts";
import type { LinePiece } from "../../domain/text/line-pieces.ts";
import { renderBlock } from "../../domain/text/untrusted-block.ts";

const CANDIDATE_TOKENS = 500;
/** In the data of an error. */
const MAX_CANDIDATES = 25;

/**
 * The error for a name that several people, channels or servers have, or where one of several has to be named. What people call themselves is theirs to
 * choose: it is quoted like everything that others wrote.
 */
export function severalMeant(
  candidates: readonly Named[],
  { name, sign, nonce, now }: { name: string | undefined; sign: string; nonce: string; now: number },
): EarshotError {
  const { text } = renderBlock({
    nonce,
    label: { kind: "candidates", name: null, from: null, to: null, integrity: "untrusted" },
    lines: candidates.map(({ id, names }) => ({
      handle: null,
      ts: null,
      author: null,
      content: [
        ...names.flatMap((one, index): LinePiece[] => [index === 0 ? sign : " / ", { name: one }]),
        ` (id ${id})`,
      ],
    })),
    now,
    maxTokens: CANDIDATE_TOKENS,
    dropFrom: "end",
  });
  const problem = `Several could be meant${name === undefined ? "" : ` by ${quoteInput(name)}`}; ask which, or use an id:\n${text}`;
  const told = candidates.slice(0, MAX_CANDIDATES).map(({ id, names: [called = ""] }) => ({ name: called, id }));
  return new EarshotError("invalid", problem, { candidates: told });
}
