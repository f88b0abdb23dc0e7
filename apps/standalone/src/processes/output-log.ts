import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { writeFileSync } from 'node:fs';

const bytesMax = 8 * 1_048_576;
const chunkBytesMax = 262_144;
const lineCharsMax = 400;

/**
 * The log file of one service. The service writes to it directly, so its output never waits for this process. This class limits the
 * file's size and reads problems from it.
 */
export class OutputLog {
  /** Descriptor for the service; every write appends. */
  readonly descriptor: number;
  private readOffset: number;
  private unfinished = '';

  constructor(readonly path: string) {
    this.descriptor = openSync(path, 'a+', 0o600);
    this.readOffset = fstatSync(this.descriptor).size;
  }

  /** Problems written since the last call; rotates when the file has grown too long. */
  problems(): string[] {
    const lines = (this.unfinished + this.readNew()).split('\n');
    this.unfinished = lines.pop()!.slice(-chunkBytesMax);
    if (this.readOffset > bytesMax) this.rotate();
    return lines.map(problemIn).filter(line => line !== undefined);
  }

  /** The last lines, for the message about a service that ended. */
  tail(linesMax: number): string[] {
    const { size } = fstatSync(this.descriptor);
    const text = this.read(Math.max(0, size - 16_384), 16_384);
    return text.split('\n').filter(Boolean).slice(-linesMax).map(readable);
  }

  note(text: string): void {
    writeSync(
      this.descriptor,
      `${JSON.stringify({ level: 'info', time: new Date().toISOString(), service: 'standalone', msg: text })}\n`,
    );
  }

  close(): void {
    closeSync(this.descriptor);
  }

  private readNew(): string {
    const { size } = fstatSync(this.descriptor);
    // A flood of lines is skipped, so that it is not read into memory; it stays in the file.
    const from = Math.max(this.readOffset, size - chunkBytesMax);
    this.readOffset = size;
    return this.read(from, size - from);
  }

  private read(from: number, length: number): string {
    if (length <= 0) return '';
    const buffer = Buffer.alloc(length);
    return buffer.toString('utf8', 0, readSync(this.descriptor, buffer, 0, length, from));
  }

  /**
   * Copies and truncates the file, because the service keeps its descriptor. Lines written in between may be lost; the
   * newest half stays.
   */
  private rotate(): void {
    writeFileSync(`${this.path}.1`, this.read(Math.max(0, this.readOffset - bytesMax), bytesMax), { mode: 0o600 });
    ftruncateSync(this.descriptor, 0);
    this.readOffset = 0;
  }
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
