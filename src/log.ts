import { pino } from "pino";
import pretty from "pino-pretty";
import type { Config } from "./config.ts";
import type { Log } from "./ports/log.ts";

const STANDARD_ERROR = 2;
/** Fields that must never reach a log, wherever somebody might put them. */
const SECRET = ["token", "authorization", "content", "text", "password", "secret"];

/** Logs to standard error, so that a command's own output stays clean: readable on a terminal, JSON otherwise. */
export function createLog(level: Config["logLevel"], isTerminal: boolean): Log {
  const paths = SECRET.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  const options = { level, base: null, redact: { paths, censor: "[not logged]" } };
  return isTerminal
    ? pino(options, pretty({ destination: STANDARD_ERROR, sync: true, translateTime: "SYS:HH:MM:ss" }))
    : pino(
        { ...options, timestamp: pino.stdTimeFunctions.isoTime },
        pino.destination({ fd: STANDARD_ERROR, sync: true }),
      );
}
