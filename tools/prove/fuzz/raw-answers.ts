export interface RawAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** The final answers (no 1xx) in what a server sent on one connection; a cut-off last one is left as far as it came. */
export function readAnswers(received: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = received.toString('latin1');
  while (rest.startsWith('HTTP/1.')) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) break;
    const [statusLine = '', ...lines] = rest.slice(0, headEnd).split('\r\n');
    const status = Number(statusLine.split(' ')[1]);
    const headers = Object.fromEntries(lines.map(fieldOf));
    const { body, after } = bodyOf(rest.slice(headEnd + 4), status, headers);
    rest = after;
    if (status >= 200) answers.push({ status, headers, body: Buffer.from(body, 'latin1').toString('utf8') });
  }
  return answers;
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

function bodyOf(text: string, status: number, headers: Record<string, string>): { body: string; after: string } {
  if (status < 200 || status === 204 || status === 304) return { body: '', after: text };
  if (headers['transfer-encoding'] === 'chunked') return chunkedBody(text);
  const length = headers['content-length'] === undefined ? text.length : Number(headers['content-length']);
  return { body: text.slice(0, length), after: text.slice(length) };
}

function chunkedBody(text: string): { body: string; after: string } {
  let [body, rest] = ['', text];
  for (;;) {
    const lineEnd = rest.indexOf('\r\n');
    const size = parseInt(rest.slice(0, lineEnd), 16);
    if (lineEnd < 0 || Number.isNaN(size)) return { body, after: '' };
    if (size === 0) return { body, after: rest.slice(lineEnd + 4) };
    body += rest.slice(lineEnd + 2, lineEnd + 2 + size);
    rest = rest.slice(lineEnd + 4 + size);
  }
}
