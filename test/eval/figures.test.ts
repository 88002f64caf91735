import { describe, expect, it } from "vitest";
import { formatFigure, toFigure } from "../../eval/figures.ts";
import { toRows } from "../../eval/run-all.ts";

describe("toFigure", () => {
  it("counts all rooms together, and has an interval around the figure that is the same in every run", () => {
    const rooms = Array.from({ length: 20 }, (_, room) => ({ right: room % 4, of: 4 }));
    const figure = toFigure(rooms);
    const [low = 0, high = 0] = figure.interval ?? [];
    expect(figure.value).toBe(37.5);
    expect(low).toBeLessThan(37.5);
    expect(high).toBeGreaterThan(37.5);
    expect(toFigure(rooms)).toEqual(figure);
  });

  it("has no interval for a single room, and none is wide where all rooms are alike", () => {
    expect(toFigure([{ right: 1, of: 2 }])).toEqual({ value: 50, interval: null });
    expect(toFigure(Array.from({ length: 5 }, () => ({ right: 1, of: 2 })))).toEqual({ value: 50, interval: [50, 50] });
  });
});

describe("toRows", () => {
  it("puts each figure beside its floor and the run before, and says which floors are missed", () => {
    const [found, wrong, extra] = toRows(
      {
        found: { value: 40, interval: [35, 45] },
        wrong: { value: 5, interval: null },
        extra: { value: 1, interval: null },
      },
      { floors: { found: { least: 50 }, wrong: { most: 6 } }, before: { found: { value: 30, interval: null } } },
    );
    expect(found).toEqual({ what: "found", figure: "40.0 (35.0–45.0)", note: "| ≥ 50 missed | 30.0" });
    expect(wrong?.note).toBe("| ≤ 6 | -");
    expect(extra?.note).toBe("| - | -");
    expect(formatFigure({ value: 5, interval: null })).toBe("5.0");
  });
});
