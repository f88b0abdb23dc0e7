import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync, writeFileSync, writeSync } from 'node:fs';

const bytesMax = 8 * 1_048_576;
const chunkBytesMax = 262_144;
const lineCharsMax = 400;

/**
 * The log file of one service. The service writes to it directly, so its output never waits for this process. This class limits the
 * file's size and reads problems from it. When somebody moves or deletes the file (logrotate), the service still writes where it did: this
 * class moves its lines from there to a new file of the old name.
 */
export class OutputLog {
  /** Descriptor for the service; every write appends. */
  readonly descriptor: number;
  /** Descriptor of the file that has the name now: that of the service, until it was moved. */
  private named: number;
  private readOffset: number;
  private unfinished = '';

  constructor(readonly path: string) {
    this.descriptor = this.named = openSync(path, 'a+', 0o600);
    this.readOffset = fstatSync(this.descriptor).size;
  }

  /** Problems written since the last call; rotates when the file has grown too long. */
  problems(): string[] {
    this.openAnew();
    const lines = (this.unfinished + this.readNew()).split('\n');
    this.unfinished = lines.pop()!.slice(-chunkBytesMax);
    if (fstatSync(this.named).size > bytesMax) this.rotate();
    return lines.map(problemIn).filter(line => line !== undefined);
  }

  /** The last lines, for the message about a service that ended. */
  tail(linesMax: number): string[] {
    this.openAnew();
    this.readNew();
    const { size } = fstatSync(this.named);
    const text = read(this.named, { from: Math.max(0, size - 16_384), length: 16_384 }).toString('utf8');
    return text.split('\n').filter(Boolean).slice(-linesMax).map(readable);
  }

  note(text: string): void {
    const line = JSON.stringify({ level: 'info', time: new Date().toISOString(), service: 'standalone', msg: text });
    unlessFull(() => writeSync(this.descriptor, `${line}\n`));
  }

  close(): void {
    for (const descriptor of new Set([this.descriptor, this.named])) closeSync(descriptor);
  }

  private openAnew(): void {
    if (statSync(this.path, { throwIfNoEntry: false })?.ino === fstatSync(this.named).ino) return;
    if (this.named !== this.descriptor) closeSync(this.named);
    this.named = openSync(this.path, 'a+', 0o600);
  }

  private readNew(): string {
    const { size } = fstatSync(this.descriptor);
    // A flood of lines is skipped, so that it is not read into memory; it stays in the file.
    const from = Math.max(this.readOffset, size - chunkBytesMax);
    const text = read(this.descriptor, { from, length: size - from }).toString('utf8');
    if (this.named === this.descriptor) this.readOffset = size;
    else this.moveTo(this.named, size);
    return text;
  }

  /** As in `rotate`, lines that are written meanwhile may be lost. */
  private moveTo(target: number, size: number): void {
    for (let from = this.readOffset; from < size; from += chunkBytesMax)
      unlessFull(() => writeSync(target, read(this.descriptor, { from, length: Math.min(chunkBytesMax, size - from) })));
    if (size > this.readOffset) ftruncateSync(this.descriptor, this.readOffset);
  }

  /** Copies and truncates the file, because the service keeps its descriptor. Lines written in between may be lost; the newest half stays. */
  private rotate(): void {
    const { size } = fstatSync(this.named);
    const newest = read(this.named, { from: size - bytesMax, length: bytesMax });
    const lines = newest.subarray(newest.indexOf('\n') + 1); // the first one may be cut in two
    unlessFull(() => writeFileSync(`${this.path}.1`, lines, { mode: 0o600 }));
    ftruncateSync(this.named, 0);
    if (this.named === this.descriptor) this.readOffset = 0;
  }
}

/** A full disk costs lines, never the platform, which this process keeps running. */
function unlessFull(write: () => void): void {
  try {
    write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

function read(descriptor: number, { from, length }: { from: number; length: number }): Buffer {
  const buffer = Buffer.alloc(Math.max(0, length));
  return buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, from));
}

interface LogLine {
  level?: string;
  msg?: string;
  err?: { code?: string; reason?: string; message?: string };
}

function parse(line: string): LogLine | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return undefined;
  }
}

/** The problem in a line, for people; undefined when there is none. Lines that are not JSON come from Node itself or a crash. */
function problemIn(line: string): string | undefined {
  const parsed = parse(line);
  if (!parsed) return /^(Error|TypeError|.*FATAL|.*Error:)/.test(line) ? line.slice(0, lineCharsMax) : undefined;
  return parsed.level === 'error' || parsed.level === 'fatal' ? readable(line) : undefined;
}

function readable(line: string): string {
  const parsed = parse(line);
  if (!parsed?.msg) return line.slice(0, lineCharsMax);
  const cause = [parsed.err?.code ?? parsed.err?.reason, parsed.err?.message].filter(Boolean).join(' ');
  return `${parsed.msg}${cause ? ` (${cause})` : ''}`.slice(0, lineCharsMax);
}
