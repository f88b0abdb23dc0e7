/** Length of `HTTP/1.1 100`: so many bytes distinguish an interim response from a final one. */
const decidedBytes = 12;
const statusAt = 9;
const digitOne = 0x31;
const headEnd = Buffer.from('\r\n\r\n');
const switchingProtocols = Buffer.from('101');
/** A larger head is treated as an attack: it is passed on, and the parser refuses it. */
const headBytesMax = 16_384;
const nothing = Buffer.alloc(0);

/**
 * Takes interim responses (1xx) out of a byte stream. undici drops the connection at a `100 Continue` that it did not ask for. A
 * receiver may send one before its 200, and the 200 counts (F-22). Everything from the final status line on passes unchanged.
 */
export class InterimResponses {
  private isAtHead = false;
  private kept: Buffer | undefined;

  /** The next byte belongs to the answer of a new request. */
  expectAnswer(): void {
    this.isAtHead = true;
    this.kept = undefined;
  }

  /** Returns the bytes that may pass now, and keeps the rest until more bytes decide. */
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

/** Length of the interim head at the start of the bytes, or what the bytes begin with instead. */
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
    // 101 ends the request: the client asked for no other protocol.
    head.compare(switchingProtocols, 0, 3, statusAt, decidedBytes) !== 0
  );
}
