import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Most bytes of one answer that are taken from a socket, framing included (T-12). */
export const answerBytesMax = 65_536;
/** Limit of TLS 1.3 tickets, which carry no data and appear in no byte count; two are usual. */
const sessionTicketsMax = 16;

/** The answer is larger than the limit. The HTTP parser got the bytes up to the limit. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';
  readonly code = 'ANSWER_TOO_LARGE';

  constructor() {
    super(`the answer is larger than ${answerBytesMax} bytes`);
  }
}

/**
 * Ends a connection whose receiver sends more than `answerBytesMax` for one answer. It counts bytes as they leave the socket, so no
 * framing can hide any: chunk size lines and extensions, trailers, interim answers, endless header lines. The limits of an HTTP parser
 * cover only some of these. At most one kernel read (64 KiB) beyond the limit is taken.
 */
export class ReadLimit {
  private bytes: number;
  private isExceeded = false;

  private constructor(private readonly socket: Socket) {
    this.bytes = socket.readableLength;
    const push = socket.push.bind(socket);
    socket.push = (chunk: Buffer | null, encoding?: BufferEncoding) => this.pushed(chunk, () => push(chunk, encoding));
    if (socket instanceof TLSSocket) this.limitTickets(socket);
  }

  /** Begins to count what is taken from the socket. */
  static on(socket: Socket): ReadLimit {
    return new ReadLimit(socket);
  }

  /** Bytes taken for the present answer. */
  get bytesTaken(): number {
    return this.bytes;
  }

  /** The next byte belongs to another answer. */
  restart(): void {
    this.bytes = this.socket.readableLength;
  }

  private pushed(chunk: Buffer | null, pass: () => boolean): boolean {
    if (chunk === null) return pass();
    if (this.isExceeded) return false;
    this.bytes += chunk.length;
    const hasRoom = pass();
    if (this.bytes <= answerBytesMax) return hasRoom;
    // The bytes just passed on may contain a status line: the parser reads it before the connection ends.
    this.end();
    return false;
  }

  private limitTickets(socket: TLSSocket): void {
    let tickets = 0;
    socket.on('session', () => {
      if (++tickets > sessionTicketsMax) this.end();
    });
  }

  /** Stops reading from the kernel; the connection ends when the bytes read so far are parsed. */
  private end(): void {
    if (this.isExceeded) return;
    this.isExceeded = true;
    this.socket._read = () => undefined;
    setImmediate(() => this.socket.destroy(new AnswerTooLargeError()));
  }
}
