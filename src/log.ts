import { pino } from "pino";
import type { Config } from "./config/config.ts";
import type { Log } from "./ports/log.ts";

const STANDARD_ERROR = 2;
/** Fields that must never reach a log, wherever somebody might put them. */
const SECRET = ["token", "authorization", "content", "text", "password", "secret"];

/** Logs to standard error, so that a command's own output stays clean: readable on a terminal, JSON otherwise. */
export async function createLog(level: Config["logLevel"], isTerminal: boolean): Promise<Log> {
  const paths = SECRET.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  const options = { level, base: null, redact: { paths, censor: "[not logged]" } };
  if (!isTerminal) {
    const destination = pino.destination({ fd: STANDARD_ERROR, sync: true });
    const log: Log = pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime }, destination);
    return log;
  }
  const { default: pretty } = await import("pino-pretty");
  const log: Log = pino(options, pretty({ destination: STANDARD_ERROR, sync: true, translateTime: "SYS:HH:MM:ss" }));
  return log;
}
