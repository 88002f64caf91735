import type { Bullet } from "./bullets.ts";

/** A bullet, and its place among the others. */
export interface Point {
  readonly bullet: Bullet;
  readonly section: "overview" | "highlights" | "conversations" | "questions" | "shared";
  /** The lower, the more it matters. */
  readonly rank: number;
}
