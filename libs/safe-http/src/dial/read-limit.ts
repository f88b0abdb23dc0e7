import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Most bytes of one answer that are taken from a socket, framing included (T-12). */
export const answerBytesMax = 65_536;
/** TLS 1.3 tickets carry no data, so no byte count sees them; two are usual. */
const sessionTicketsMax = 16;

/** The receiver sent more than an answer may have; what came before it has been handed to the HTTP parser. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';
  readonly code = 'ANSWER_TOO_LARGE';

  constructor() {
    super(`the answer is larger than ${answerBytesMax} bytes`);
  }
}

/**
 * Ends a connection whose receiver makes us read more than `answerBytesMax` for one answer. It counts where bytes leave the socket, so no
 * framing hides any: chunk size lines and extensions, trailers, interim answers, header lines without end. A parser's own limits see only
 * what they know to look at. At most one read of the kernel's (64 KiB) beyond the limit is taken.
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
    // A status line may stand in what was just passed on: the parser reads it before the connection goes.
    this.end();
    return false;
  }

  private limitTickets(socket: TLSSocket): void {
    let tickets = 0;
    socket.on('session', () => {
      if (++tickets > sessionTicketsMax) this.end();
    });
  }

  /** Nothing more is asked of the kernel; the connection ends once what was read is parsed. */
  private end(): void {
    if (this.isExceeded) return;
    this.isExceeded = true;
    this.socket._read = () => undefined;
    setImmediate(() => this.socket.destroy(new AnswerTooLargeError()));
  }
}
