/** `HTTP/1.1 100`: with so many bytes an interim response can be told from a final one. */
const decidedBytes = 12;
const statusAt = 9;
const digitOne = 0x31;
const headEnd = Buffer.from('\r\n\r\n');
const switchingProtocols = Buffer.from('101');
/** One head larger than this is no interim response but an attack; the parser refuses it. */
const headBytesMax = 16_384;
const nothing = Buffer.alloc(0);

/**
 * Takes interim responses (1xx) out of a byte stream. undici drops the connection at `100 Continue` when it did not ask for one, yet a
 * receiver may send it before its 200, and the 200 counts (F-22). Everything from the final status line on passes unchanged.
 */
export class InterimResponses {
  private isAtHead = false;
  private kept: Buffer | undefined;

  /** The next byte belongs to the answer of a new request. */
  expectAnswer(): void {
    this.isAtHead = true;
    this.kept = undefined;
  }

  /** What of the stream may pass now; the rest is kept until it can be decided. */
  pass(chunk: Buffer): Buffer {
    if (!this.isAtHead) return chunk;
    let rest = this.kept ? Buffer.concat([this.kept, chunk]) : chunk;
    this.kept = undefined;
    for (let head = headOf(rest); head !== 'incomplete'; head = headOf(rest)) {
      if (head === 'final') return this.open(rest);
      rest = rest.subarray(head);
    }
    this.kept = rest;
    return nothing;
  }

  private open(rest: Buffer): Buffer {
    this.isAtHead = false;
    return rest;
  }
}

/** Length of the interim head that the bytes begin with, or what else they begin with. */
function headOf(bytes: Buffer): number | 'final' | 'incomplete' {
  if (bytes.length < decidedBytes) return 'incomplete';
  if (!isInterim(bytes)) return 'final';
  const end = bytes.indexOf(headEnd);
  if (end >= 0) return end + headEnd.length;
  return bytes.length > headBytesMax ? 'final' : 'incomplete';
}

function isInterim(head: Buffer): boolean {
  return (
    head.toString('latin1', 0, 7) === 'HTTP/1.' &&
    head[statusAt] === digitOne &&
    // 101 ends the request: nobody asked for another protocol.
    head.compare(switchingProtocols, 0, 3, statusAt, decidedBytes) !== 0
  );
}
