import type { ComponentChildren } from "preact";

interface MarkedProps {
  readonly text: string;
  /** Renders [1] and so on; the digits in brackets if absent. */
  cite?(number: number): ComponentChildren;
}

/** An escaped character, bold, code, or the number of a source. */
const INLINE = /\\([^\p{L}\p{N}\s])|\*\*((?:\\.|[^*])+)\*\*|`([^`]+)`|\[(\d{1,3})\](?!\()/gu;

const CLASSES: Readonly<Record<string, string>> = { "-# ": "muted small", "> ": "quotation", "- ": "item" };

/** The little Markdown that Earshot's own sentences have. Everything becomes text: nothing in it is taken for HTML. */
export function Marked({ text, cite }: MarkedProps) {
  return (
    <div class="marked">
      {text.split("\n").map((line, index) => {
        const [, mark, words = ""] = /^(-# |> |- )?(.*)$/s.exec(line) ?? [];
        return (
          <p key={index} class={CLASSES[mark ?? ""]}>
            {mark === "- " && "• "}
            {toPieces(words, cite)}
          </p>
        );
      })}
    </div>
  );
}

function toPieces(text: string, cite: MarkedProps["cite"]): ComponentChildren[] {
  const pieces: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, escaped, bold, code, number] = match;
    pieces.push(text.slice(end, match.index));
    end = match.index + whole.length;
    if (escaped !== undefined) pieces.push(escaped);
    else if (bold !== undefined) pieces.push(<strong>{toPieces(bold, cite)}</strong>);
    else if (code !== undefined) pieces.push(<code>{code}</code>);
    else pieces.push(cite?.(Number(number)) ?? whole);
  }
  return [...pieces, text.slice(end)];
}
