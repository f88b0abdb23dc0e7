import type { ServerResponse } from 'node:http';
import { finished, type Readable } from 'node:stream';

/** One TLS record: the progress of a client is seen in steps of this size. */
const sliceBytes = 16_384;
/** Bytes of one answer that the gateway reads ahead of the client. The page files of the portal and the lists of the services are smaller. */
export const aheadBytesMax = 1_048_576;

/** The parties of an answer that limits are counted for. */
export interface AnswerParties {
  /** Key of the client's address. */
  address: string;
  /** Subject of the caller's identity; undefined on open paths. */
  account: string | undefined;
  /** Name of the service that answers. */
  route: string;
}

/** Is told how an answer comes along. */
export interface AnswerWatch {
  /** Longest time in which a client may take one slice. */
  readonly sliceMs: number;
  /** `bytes` came from the service, or, below 0, were taken by the client. */
  onHeld(bytes: number): void;
  /** The answer is `aheadBytesMax` ahead of its client, so it keeps the connection to the service. */
  onFull(answer: OpenAnswer): void;
  /** The service has given the whole answer, or what is left is not needed any more. */
  onRead(answer: OpenAnswer): void;
  onSlow(answer: OpenAnswer): void;
}

/** The client reads too slowly, or the gateway needs the memory or the connection that the answer uses. */
export class ReaderCutError extends Error {}

/**
 * An answer on its way to the client. It is read from the service at once, up to a size, so that a client that reads slowly does not keep a
 * connection to the service.
 */
export class OpenAnswer {
  /** Bytes that the client has not taken yet. */
  heldBytes = 0;
  /** When the slice that the client takes now was written; undefined when nothing waits for the client. */
  waitingSinceMs: number | undefined;
  private readonly chunks: Buffer[] = [];
  private source: Readable | undefined;
  private isWhole = false;
  private isSettled = false;
  private timer: NodeJS.Timeout | undefined;
  private settle: (error?: Error | null) => void = () => undefined;

  constructor(
    private readonly response: ServerResponse,
    readonly parties: AnswerParties,
    private readonly watch: AnswerWatch,
  ) {}

  /** Resolves when the whole body is handed to the network. Rejects when the client is gone or was cut off, or the body ended early. */
  send(body: string | Readable): Promise<void> {
    return new Promise((resolve, reject) => {
      this.settle = error => {
        if (this.isSettled) return;
        this.release();
        if (!error) return resolve();
        this.source?.destroy();
        reject(error);
      };
      if (typeof body !== 'string') this.source = body;
      const isGone = () => this.settle(new Error('the client closed the connection'));
      this.response.on('error', this.settle).once('close', isGone);
      // A response that is closed already reports neither an end nor another close.
      if (this.response.destroyed) isGone();
      else if (typeof body === 'string') this.takeText(body);
      else this.readFrom(body);
    });
  }

  cut(reason: string): void {
    this.settle(new ReaderCutError(reason));
    this.response.destroy();
  }

  private takeText(text: string): void {
    this.isWhole = true;
    if (text === '') this.writeNext();
    else this.take(Buffer.from(text));
  }

  private readFrom(source: Readable): void {
    source.on('data', (chunk: Buffer) => this.take(chunk));
    finished(source, error => {
      this.watch.onRead(this);
      if (error) return this.settle(error);
      this.isWhole = true;
      this.writeNext();
    });
  }

  private take(chunk: Buffer): void {
    if (this.isSettled) return;
    this.chunks.push(chunk);
    this.hold(chunk.length);
    if (this.heldBytes >= aheadBytesMax && this.source?.isPaused() === false) {
      this.source.pause();
      this.watch.onFull(this);
    }
    this.writeNext();
  }

  private hold(bytes: number): void {
    this.heldBytes += bytes;
    this.watch.onHeld(bytes);
  }

  /** One slice at a time: the callback of a write tells that the client, or the network, has taken all of it. */
  private writeNext(): void {
    if (this.isSettled || this.waitingSinceMs !== undefined) return;
    const slice = this.nextSlice();
    const isLast = this.isWhole && this.chunks.length === 0;
    if (!slice && !isLast) return;
    this.waitingSinceMs = performance.now();
    this.timer = setTimeout(() => this.watch.onSlow(this), this.watch.sliceMs);
    if (!slice) this.response.end(() => this.settle());
    else if (isLast) this.response.end(slice, () => this.settle());
    else this.response.write(slice, error => (error ? this.settle(error) : this.taken(slice.length)));
  }

  private taken(bytes: number): void {
    if (this.isSettled) return;
    clearTimeout(this.timer);
    this.waitingSinceMs = undefined;
    this.hold(-bytes);
    if (this.heldBytes <= aheadBytesMax / 2 && this.source?.isPaused()) this.source.resume();
    this.writeNext();
  }

  private nextSlice(): Buffer | undefined {
    const [first] = this.chunks;
    if (!first || first.length <= sliceBytes) return this.chunks.shift();
    this.chunks[0] = first.subarray(sliceBytes);
    return first.subarray(0, sliceBytes);
  }

  private release(): void {
    this.isSettled = true;
    clearTimeout(this.timer);
    this.chunks.length = 0;
    this.hold(-this.heldBytes);
  }
}
