import type { ComponentChildren } from "preact";

interface NoticeProps {
  readonly title: string;
  readonly body?: string;
  readonly children?: ComponentChildren;
}

/** A whole page that says one thing. */
export function Notice({ title, body, children }: NoticeProps) {
  return (
    <main class="notice" id="content">
      <h1>{title}</h1>
      {body && <p>{body}</p>}
      {children}
    </main>
  );
}
