import { Session } from "node:inspector/promises";

const SOURCES = new URL("../src/", import.meta.url).href;
const inspector = new Session();
let isCounting = false;

/** Functions of Earshot that have run in this process since the last time, by file. The first time, counting begins. */
export async function takeCoverage(): Promise<Record<string, string[]>> {
  if (!isCounting) {
    isCounting = true;
    inspector.connect();
    await inspector.post("Profiler.enable");
    await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  }
  const { result } = await inspector.post("Profiler.takePreciseCoverage");
  const ours = result.filter(({ url }) => url.startsWith(SOURCES));
  return Object.fromEntries(
    ours.map(({ url, functions }) => [
      url.slice(SOURCES.length),
      functions
        .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
        .map(({ functionName }) => functionName || "(anonymous)"),
    ]),
  );
}
