import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ERRORS } from "../../src/domain/errors.ts";
import { createMetrics, type MetricsSources } from "../../src/transports/http/metrics.ts";

const FOLDER = resolve(import.meta.dirname, "../../deploy");
const dashboard: unknown = JSON.parse(readFileSync(join(FOLDER, "grafana-dashboard.json"), "utf8"));
const alerts = readFileSync(join(FOLDER, "alerts.yaml"), "utf8").split("- alert: ").slice(1);

/** With a model, prices and a profile service: every metric that there is, as Prometheus names its series. */
async function listSeries(): Promise<Set<string>> {
  const nothing = () => new Proxy({}, { get: () => 0 });
  const tokens = { inputTokens: 0, outputTokens: 0 };
  const sources: unknown = {
    discord: { stats: nothing, directory: { guilds: () => [] } },
    timelines: { stats: nothing },
    spent: { totals: () => ({ today: tokens, sinceStart: tokens }), prices: { input: 1, output: 1 } },
    profiles: { stats: nothing },
    failures: async () => [],
    rpc: nothing,
  };
  const { text } = await createMetrics(sources as MetricsSources).render();
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  const endings = (type: string | undefined) => (type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]);
  return new Set(types.flatMap(([, name, type]) => endings(type).map((ending) => `${name}${ending}`)));
}

function expressionsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    typeof each === "string" && ["expr", "query"].includes(key) ? [each] : expressionsOf(each),
  );
}

const alertExpressions = alerts.map((alert) => /expr: (?:>-\n)?([\s\S]*?)\n {8}\w+:/.exec(alert)?.[1] ?? "");
const seriesIn = (expression: string) => expression.match(/\b(?:earshot|nodejs|process)_\w+/g) ?? [];

describe("the dashboard and the alert rules", () => {
  it("use only metrics that exist", async () => {
    const known = await listSeries();
    const used = [...expressionsOf(dashboard), ...alertExpressions].map(seriesIn);
    expect(used.flat().length).toBeGreaterThan(40);
    expect(used.flat().filter((name) => !known.has(name))).toEqual([]);
  });

  it("ask only for outcomes that calls have", () => {
    const outcomes = alertExpressions.flatMap((each) => /outcome=~"([^"]+)"/.exec(each)?.[1]?.split("|") ?? []);
    expect(outcomes.length).toBeGreaterThan(0);
    expect(outcomes.filter((code) => !Object.hasOwn(ERRORS, code))).toEqual([]);
  });

  it("alert with an expression, a summary and a reason each", () => {
    expect(alerts.length).toBeGreaterThan(5);
    expect(alertExpressions.filter((each) => each === "")).toEqual([]);
    for (const alert of alerts)
      expect(alert).toMatch(
        /^Earshot\w+\n[\s\S]*labels: \{ severity: (page|ticket) \}\n[\s\S]*summary: \S[\s\S]*description: >-\n/,
      );
  });
});
