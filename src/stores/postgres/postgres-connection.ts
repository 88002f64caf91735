import { Socket } from "node:net";
import pg from "pg";
import { EarshotError } from "../../domain/errors.ts";
import { toStorable } from "../../domain/text/to-storable.ts";
import { type Statement, toPlaceholders, type Values } from "../database.ts";
import { isFromServer, isNone, toUnavailable } from "./postgres-errors.ts";

interface ConnectOptions {
  readonly url: string;
  readonly isReadOnly: boolean;
  readonly statements: StatementTexts;
  /** Statement timeout. */
  readonly statementMs: number;
  /** Lock timeout. */
  readonly lockMs: number;
}

const CONNECT_MS = 5_000;
/** A transaction without its program ends after this. */
const IDLE_MS = 10_000;
const SILENT = "The database does not answer";
/** int8, numeric. */
const NUMBER_TYPES: readonly number[] = [20, 1700];
const MAX_INT8 = 9_223_372_036_854_775_807n;

/** Pipelines statements, which run in their order. */
export class PostgresConnection {
  readonly #client: pg.Client;
  readonly #socket: Socket;
  readonly #statements: StatementTexts;
  #isOpen = true;

  private constructor(client: pg.Client, socket: Socket, statements: StatementTexts) {
    this.#client = client;
    this.#socket = socket;
    this.#statements = statements;
    const end = () => {
      this.#isOpen = false;
    };
    client.on("error", end).on("end", end);
  }

  /** False once it is lost. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  static async open({ url, isReadOnly, statements, ...ms }: ConnectOptions): Promise<PostgresConnection> {
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: url,
      pipeline: true,
      stream: () => socket,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      // For a server or network that no longer responds.
      query_timeout: ms.statementMs + CONNECT_MS,
      types: {
        getTypeParser: (type: number, format?: "text" | "binary") =>
          NUMBER_TYPES.includes(type) ? Number : pg.types.getTypeParser(type, format as "text"),
      } as pg.CustomTypesConfig,
    });
    const connection = new PostgresConnection(client, socket, statements);
    try {
      await client.connect();
    } catch (cause) {
      connection.destroy();
      throw toUnavailable("The database cannot be used", cause);
    }
    await connection.exec(`SET statement_timeout = ${ms.statementMs}; SET lock_timeout = ${ms.lockMs};
      SET idle_in_transaction_session_timeout = ${IDLE_MS}; SET client_min_messages = error;
      SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3;
      SET application_name = earshot; SET default_transaction_read_only = ${isReadOnly ? "on" : "default"}`);
    return connection;
  }

  /** Several statements without values in one round trip. Returns the command and row count of the last. */
  async exec(sql: string): Promise<{ readonly command: string; readonly rowCount: number | null }> {
    const results: pg.QueryResult | pg.QueryResult[] = await this.#query({ text: sql });
    return Array.isArray(results) ? (results.at(-1) as pg.QueryResult) : results;
  }

  async execute({ sql, values, refusal }: Statement): Promise<object[]> {
    if (!refusal) return (await this.#query(this.#statements.get({ sql, values }))).rows;
    try {
      return (await this.#query(this.#statements.get({ sql: requireOne(sql), values }))).rows;
    } catch (cause) {
      throw isNone(cause) ? refusal() : cause;
    }
  }

  async executeArrays(statement: Statement): Promise<unknown[][]> {
    return (await this.#query({ ...this.#statements.get(statement), rowMode: "array" })).rows;
  }

  /** Without a response, the state of the server is unknown, so the connection is given up. */
  async #query(config: object): Promise<pg.QueryResult> {
    try {
      return await this.#client.query(config as pg.QueryConfig);
    } catch (cause) {
      if (!isFromServer(cause)) this.destroy();
      if (cause instanceof Error && cause.message === "Query read timeout") throw toUnavailable(SILENT, cause);
      throw cause;
    }
  }

  /** Safe to repeat. Waits for the server at most `CONNECT_MS`. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.destroy(), CONNECT_MS);
    if (this.#isOpen) await this.#client.end().catch(() => {});
    clearTimeout(timer);
    this.#isOpen = false;
  }

  /** Closes the socket without a goodbye. The driver would wait for running statements. */
  destroy(): void {
    this.#isOpen = false;
    this.#socket.destroy();
  }
}

/** The statement itself fails if it affects no row, so COMMIT can be sent before its result is known. */
export function requireOne(sql: string): string {
  return `WITH concerned AS (${sql} RETURNING 1) SELECT 1 / count(*) FROM concerned`;
}

/** Maximum prepared statements on the server. The stores' own are fewer. */
const MAX_PREPARED = 500;

interface Translated {
  readonly text: string;
  readonly names: readonly string[] | null;
  /** The server's name for the prepared statement. */
  readonly name: string | undefined;
}

/** Translates the stores' SQL, once for each text. */
export class StatementTexts {
  readonly #translated = new Map<string, Translated>();

  get({ sql, values }: Statement): { text: string; name?: string; values: unknown[] } {
    const { text, names, name } = this.#translate(sql, Array.isArray(values));
    const given = names ? names.map((each) => requireValue((values as Values)[each], each)) : (values as unknown[]);
    return { text, ...(name === undefined ? {} : { name }), values: given.map(toParameter) };
  }

  #translate(sql: string, isPositional: boolean): Translated {
    const known = this.#translated.get(sql);
    if (known) return known;
    let place = 0;
    const { text, names } = isPositional
      ? { text: sql.replaceAll("?", () => `$${++place}`), names: null }
      : toPlaceholders(sql, (at) => `$${at}`);
    const isKept = this.#translated.size < MAX_PREPARED;
    const name = isKept ? `earshot_${this.#translated.size}` : undefined;
    // JSON is stored as text, byte for byte, and only parsed for reading.
    const translated = { text: text.replaceAll(/\b\w+_json(?= ->)/g, "CAST($& AS JSON)"), names, name };
    if (isKept) this.#translated.set(sql, translated);
    return translated;
  }
}

function requireValue(value: unknown, name: string): unknown {
  if (value === undefined) throw new EarshotError("unavailable", `A store gave no value for ${name}.`);
  return value;
}

function toParameter(value: unknown): unknown {
  if (typeof value === "string") return toStorable(value);
  if (Array.isArray(value)) return value.map(toParameter);
  if (value === Number.POSITIVE_INFINITY) return String(MAX_INT8);
  return value === Number.NEGATIVE_INFINITY ? String(-MAX_INT8) : value;
}
