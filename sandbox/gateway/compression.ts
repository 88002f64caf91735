import { constants, createDeflate } from "node:zlib";

/**
 * Transport compression as Discord's `zlib-stream`: one deflate context for the life of a connection, flushed after every payload,
 * so that each payload is one binary message that ends in 00 00 FF FF.
 */
export interface PayloadCompressor {
  compress(text: string): void;
  /** Payloads that are not delivered yet. */
  readonly waitingBytes: number;
  close(): void;
}

/** `deliver` receives the compressed payloads in order. */
export function createZlibStream(deliver: (bytes: Buffer) => void): PayloadCompressor {
  const deflate = createDeflate({ flush: constants.Z_SYNC_FLUSH });
  let pieces: Buffer[] = [];
  deflate.on("data", (piece: Buffer) => pieces.push(piece));
  return {
    compress(text) {
      deflate.write(text, (error) => {
        if (error) return;
        const bytes = Buffer.concat(pieces);
        pieces = [];
        deliver(bytes);
      });
    },
    get waitingBytes() {
      return deflate.writableLength;
    },
    close() {
      deflate.destroy();
    },
  };
}
