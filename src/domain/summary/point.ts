import type { Bullet } from "./bullets.ts";

/** A bullet with its section and its importance. */
export interface Point {
  readonly bullet: Bullet;
  readonly section: "overview" | "highlights" | "conversations" | "questions" | "shared";
  /** Lower is more important. */
  readonly rank: number;
}
