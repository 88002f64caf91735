import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

/** The names of ids in a text; null for an unknown id. */
export type NameOf = (kind: "person" | "role" | "channel", id: string) => string | null;

interface MarkdownProps {
  readonly text: string;
  readonly nameOf: NameOf;
}

const MAX_DEPTH = 8;

/** Discord's markdown as nodes. Nothing of it is ever read as HTML. */
export function Markdown({ text, nameOf }: MarkdownProps) {
  return <>{toBlocks(text, nameOf)}</>;
}

function toBlocks(text: string, nameOf: NameOf): ComponentChildren[] {
  return text.split(/(```[\s\S]*?```)/).flatMap((part, index): ComponentChildren[] => {
    if (index % 2 === 1)
      return [
        <pre key={index}>
          <code>{part.slice(3, -3).replace(/^\w*\n/, "")}</code>
        </pre>,
      ];
    return groupLines(part).map(({ isQuote, lines }, at) => {
      const body = lines.flatMap((line, number) => [
        number > 0 && "\n",
        <Line key={number} line={line} nameOf={nameOf} />,
      ]);
      const key = `${index}-${at}`;
      return isQuote ? <blockquote key={key}>{body}</blockquote> : <span key={key}>{body}</span>;
    });
  });
}

function groupLines(text: string): { isQuote: boolean; lines: string[] }[] {
  const groups: { isQuote: boolean; lines: string[] }[] = [];
  for (const line of text.split("\n")) {
    const isQuote = line.startsWith("> ");
    const content = isQuote ? line.slice(2) : line;
    const last = groups.at(-1);
    if (last?.isQuote === isQuote) last.lines.push(content);
    else groups.push({ isQuote, lines: [content] });
  }
  return groups;
}

function Line({ line, nameOf }: { readonly line: string; readonly nameOf: NameOf }) {
  const [, marks, title] = /^(#{1,3}) (.+)$/.exec(line) ?? [];
  if (marks !== undefined) return <strong class="heading">{toInline(title ?? "", nameOf)}</strong>;
  const [, small] = /^-# (.+)$/.exec(line) ?? [];
  if (small !== undefined) return <small class="muted">{toInline(small, nameOf)}</small>;
  const [, indent, item] = /^(\s*)[-*] (.+)$/.exec(line) ?? [];
  return <>{item === undefined ? toInline(line, nameOf) : [indent, "• ", toInline(item, nameOf)]}</>;
}

const INLINE =
  /\\([^\w\s])|`([^`\n]+)`|\*\*(.+?)\*\*|__(.+?)__|\*([^*\s][^*]*)\*|\b_([^_]+)_\b|~~(.+?)~~|\|\|(.+?)\|\||\[([^\]\n]{1,200})\]\(<?(https?:\/\/[^\s)>]+)>?\)|<?(https?:\/\/[^\s<>]+)>?|<@!?(\d+)>|<@&(\d+)>|<#(\d+)>|<a?(:\w+:)\d+>|<t:(-?\d{1,13})(?::\w)?>/;

function toInline(text: string, nameOf: NameOf, depth = 0): ComponentChildren {
  if (depth > MAX_DEPTH) return text;
  const nodes: ComponentChildren[] = [];
  let rest = text;
  for (let found = INLINE.exec(rest); found; found = INLINE.exec(rest)) {
    nodes.push(rest.slice(0, found.index), toNode(found, nameOf, depth));
    rest = rest.slice(found.index + found[0].length);
  }
  return nodes.length === 0 ? text : [...nodes, rest];
}

function toNode(found: RegExpExecArray, nameOf: NameOf, depth: number): ComponentChildren {
  const [all, escaped, code, bold, underlined, italic, slanted, struck, hidden, label, target, url, ...ids] = found;
  const [person, role, channel, emoji, time] = ids;
  const inner = (text: string) => toInline(text, nameOf, depth + 1);
  if (escaped !== undefined) return escaped;
  if (code !== undefined) return <code>{code}</code>;
  if (bold !== undefined) return <strong>{inner(bold)}</strong>;
  if (underlined !== undefined) return <u>{inner(underlined)}</u>;
  if (italic !== undefined) return <em>{inner(italic)}</em>;
  if (slanted !== undefined) return <em>{inner(slanted)}</em>;
  if (struck !== undefined) return <s>{inner(struck)}</s>;
  if (hidden !== undefined) return <Spoiler>{inner(hidden)}</Spoiler>;
  if (target !== undefined) return <Link url={target}>{label}</Link>;
  if (url !== undefined) return <Link url={url}>{url}</Link>;
  if (person !== undefined) return <Mention text={`@${nameOf("person", person) ?? "?"}`} />;
  if (role !== undefined) return <Mention text={`@${nameOf("role", role) ?? "?"}`} />;
  if (channel !== undefined) return <Mention text={`#${nameOf("channel", channel) ?? "?"}`} />;
  if (time !== undefined) return new Date(Number(time) * 1_000).toLocaleString();
  return emoji ?? all;
}

function Mention({ text }: { readonly text: string }) {
  return <span class="mention">{text}</span>;
}

function Link({ url, children }: { readonly url: string; readonly children: ComponentChildren }) {
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}

function Spoiler({ children }: { readonly children: ComponentChildren }) {
  const isOpen = useSignal(false);
  return (
    <button
      type="button"
      class={isOpen.value ? "spoiler open" : "spoiler"}
      aria-expanded={isOpen.value}
      onClick={() => {
        isOpen.value = !isOpen.value;
      }}
    >
      {isOpen.value ? children : "▒▒▒▒▒"}
    </button>
  );
}
