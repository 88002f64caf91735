import type { Duplex } from "node:stream";
import { GatewayCloseCodes, GatewayOpcodes } from "discord-api-types/v10";
import type { RawData, WebSocket } from "ws";
import { createZlibStream, type PayloadCompressor } from "./compression.ts";
import type { GatewayDeps } from "./deps.ts";
import type { FaultyConnection } from "./faults.ts";
import { greet } from "./greet.ts";
import { sendMembers } from "./member-chunks.ts";
import { type ClientPayload, GatewayRefusal, type Identify, parseClientPayload, type Resume } from "./protocol.ts";
import type { Session, SessionConnection } from "./session.ts";
import { startSession } from "./start-session.ts";

/** A client that reads so slowly that this much is buffered is disconnected. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

const SENT_EVENTS_LIMIT = { count: 120, windowMs: 60_000 };

/** After these codes a session cannot be resumed. The first two are sent by a client that logs out. */
const FINAL_CODES = new Set<number>([1000, 1001, GatewayCloseCodes.InvalidSeq, GatewayCloseCodes.SessionTimedOut]);

export interface Line {
  readonly socket: WebSocket;
  /** The stream under the WebSocket. */
  readonly transport: Duplex;
  readonly isCompressed: boolean;
}

/** One socket: the handshake, heartbeats and limits. Events come through its session. */
export class Connection implements SessionConnection, FaultyConnection {
  readonly #socket: WebSocket;
  readonly #transport: Duplex;
  readonly #deps: GatewayDeps;
  readonly #compressor: PayloadCompressor | undefined;
  #session: Session | undefined;
  #heartbeatWatch: NodeJS.Timeout | undefined;
  #receivedAt: number[] = [];
  #isSilent = false;

  constructor({ socket, transport, isCompressed }: Line, deps: GatewayDeps) {
    this.#socket = socket;
    this.#transport = transport;
    this.#deps = deps;
    this.#compressor = isCompressed ? createZlibStream((bytes) => this.#write(bytes)) : undefined;
    deps.faults.connections.add(this);
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    socket.on("close", (code) => this.#onClose(code));
    // A broken socket also emits "close", which is handled.
    socket.on("error", () => undefined);
    this.#sendPayload(GatewayOpcodes.Hello, { heartbeat_interval: deps.heartbeatMs, _trace: [] });
    this.#awaitHeartbeat();
  }

  send(frame: string): void {
    if (this.#isSilent) return;
    if (this.#compressor) this.#compressor.compress(frame);
    else this.#write(frame);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  close(code: number, reason: string): void {
    this.#leaveSession(FINAL_CODES.has(code));
    this.#socket.close(code, reason);
  }

  goSilent(): void {
    this.#isSilent = true;
    clearTimeout(this.#heartbeatWatch);
    this.#socket.pause();
  }

  askReconnect(): void {
    this.#sendPayload(GatewayOpcodes.Reconnect, null);
  }

  invalidateSession(resumable: boolean): void {
    this.#sendPayload(GatewayOpcodes.InvalidSession, resumable);
    this.#leaveSession(!resumable);
  }

  #write(data: string | Buffer): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount + (this.#compressor?.waitingBytes ?? 0) > MAX_WAITING_BYTES) this.terminate();
    else {
      this.#gatherWrites();
      this.#socket.send(data, { compress: false });
    }
  }

  /** Combines dispatches of one turn into one write: a system call for each of thousands would cost more than they do. */
  #gatherWrites(): void {
    if (this.#transport.writableCorked > 0) return;
    this.#transport.cork();
    process.nextTick(() => this.#transport.uncork());
  }

  #sendPayload(op: GatewayOpcodes, d: unknown): void {
    this.send(JSON.stringify({ t: null, s: null, op, d }));
  }

  #receive(data: RawData, isBinary: boolean): void {
    // Sent by the client before it noticed the close.
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    try {
      if (isBinary) throw new GatewayRefusal(GatewayCloseCodes.DecodeError, "Error while decoding payload.");
      this.#countReceived();
      this.#handle(parseClientPayload(data.toString()));
    } catch (error) {
      if (!(error instanceof GatewayRefusal)) throw error;
      this.close(error.code, error.message);
    }
  }

  #handle(payload: ClientPayload): void {
    switch (payload.op) {
      case GatewayOpcodes.Heartbeat:
        this.#awaitHeartbeat();
        if (!this.#deps.faults.mutesHeartbeatAck()) this.#sendPayload(GatewayOpcodes.HeartbeatAck, null);
        return;
      case GatewayOpcodes.Identify:
        this.#identify(payload.d);
        return;
      case GatewayOpcodes.Resume:
        this.#resume(payload.d);
        return;
      case GatewayOpcodes.RequestGuildMembers:
        sendMembers(payload.d, this.#authenticated(), this.#deps);
        return;
      case GatewayOpcodes.RequestSoundboardSounds: {
        const session = this.#authenticated();
        for (const guild_id of payload.d.guild_ids.filter((id) => session.shown.has(id))) {
          session.dispatch("SOUNDBOARD_SOUNDS", JSON.stringify({ guild_id, soundboard_sounds: [] }));
        }
        return;
      }
      default:
        // Presence and voice state have no effect in the sandbox.
        this.#authenticated();
    }
  }

  #identify(request: Identify): void {
    this.#mustBeNew();
    const session = startSession(request, this.#deps);
    if (!session) {
      this.invalidateSession(false);
      return;
    }
    this.#session = session;
    session.attach(this);
    greet(session, this.#deps);
  }

  #resume(request: Resume): void {
    this.#mustBeNew();
    const { world, sessions, faults } = this.#deps;
    const application = world.botByToken(request.token);
    if (!application) throw new GatewayRefusal(GatewayCloseCodes.AuthenticationFailed, "Authentication failed.");
    const known = sessions.get(request.session_id);
    const session = known?.botId === application.botId && !known.isExpired(world.clock.now()) ? known : undefined;
    if (!session || faults.refusesResume() || !session.canReplayFrom(request.seq)) {
      if (session) sessions.delete(session.id);
      this.invalidateSession(false);
      return;
    }
    if (request.seq > session.sequence) throw new GatewayRefusal(GatewayCloseCodes.InvalidSeq, "Invalid seq.");
    this.#session = session;
    session.attach(this);
    session.replayFrom(request.seq);
    session.dispatch("RESUMED", JSON.stringify({ _trace: [] }));
  }

  #mustBeNew(): void {
    if (this.#session) throw new GatewayRefusal(GatewayCloseCodes.AlreadyAuthenticated, "Already authenticated.");
  }

  #authenticated(): Session {
    if (this.#session) return this.#session;
    throw new GatewayRefusal(GatewayCloseCodes.NotAuthenticated, "Not authenticated.");
  }

  #countReceived(): void {
    const now = this.#deps.world.clock.now();
    this.#receivedAt = this.#receivedAt.filter((at) => now - at < SENT_EVENTS_LIMIT.windowMs);
    this.#receivedAt.push(now);
    if (this.#receivedAt.length > SENT_EVENTS_LIMIT.count) {
      throw new GatewayRefusal(GatewayCloseCodes.RateLimited, "You are being rate limited.");
    }
  }

  /** Disconnects a client that misses its heartbeat, after a grace period. */
  #awaitHeartbeat(): void {
    clearTimeout(this.#heartbeatWatch);
    this.#heartbeatWatch = setTimeout(
      () => this.close(GatewayCloseCodes.SessionTimedOut, "Session timed out."),
      this.#deps.heartbeatMs * 1.5,
    );
  }

  #onClose(code: number): void {
    clearTimeout(this.#heartbeatWatch);
    this.#compressor?.close();
    this.#deps.faults.connections.delete(this);
    this.#leaveSession(FINAL_CODES.has(code));
  }

  #leaveSession(isFinal: boolean): void {
    const session = this.#session;
    if (!session) return;
    if (isFinal) this.#deps.sessions.delete(session.id);
    session.detach(this, this.#deps.world.clock.now());
    this.#session = undefined;
  }
}
