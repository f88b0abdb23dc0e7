/** The request that a smuggled second one would be: an answer to it is a finding. */
const smuggled = 'GET /public/assets/pay.css HTTP/1.1\r\nHost: localhost\r\n\r\n';
const json = 'Content-Type: application/json\r\n';
const chunked = 'Transfer-Encoding: chunked\r\n';
const close = 'Connection: close\r\n';

const contradictions = [
  `${json}Content-Length: 4\r\n${chunked}\r\n0\r\n\r\n${smuggled}`,
  `${json}${chunked}Content-Length: 6\r\n\r\n0\r\n\r\n${smuggled}`,
  `${json}Content-Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
  `${json}Content-Length: 0, 0\r\n\r\n${smuggled}`,
];

const lengths = ['-1', '+2', '0x2', '2 2', '2,3', '1e1', '99999999999999999999', '9007199254740993', '', ' ', '2_0', '٣', '\0'];

const codings = [
  ...[
    'gzip, chunked',
    'chunked, chunked',
    'identity',
    'xchunked',
    'chunked;q=1',
    '"chunked"',
    'chunked\x0b',
    '\x0bchunked',
    'chunked,',
    ',chunked',
  ],
  ...['deflate', 'chunked, identity', 'Chunked\0', ' chunked\t '],
];

const chunks = [
  ...[
    '-1\r\n\r\n',
    '0x2\r\n{}\r\n0\r\n\r\n',
    'g\r\n\r\n',
    '2;\0\r\n{}\r\n0\r\n\r\n',
    '2\n{}\n0\n\n',
    '2\r\n{}0\r\n\r\n',
    '2\r\n{}\r\n0\r\nX: y\r\n\r\n',
  ],
  ...[
    'ffffffffffffffff1\r\n{}',
    '2 \r\n{}\r\n0\r\n\r\n',
    `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    `0\r\n${'X: y\r\n'.repeat(3_000)}\r\n`,
    '\r\n2\r\n{}',
  ],
  ...['2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n', `${'0'.repeat(5_000)}2\r\n{}\r\n0\r\n\r\n`],
];

const lines = [
  ...[
    'X: a\r\n folded\r\n',
    'X : a\r\n',
    ' X: a\r\n',
    ': a\r\n',
    'X\r\n',
    'X: a\rb\r\n',
    'X: a\nY: b\n',
    'X: a\0b\r\n',
    'X\0: a\r\n',
    'X(: a\r\n',
    'X\x80: a\r\n',
  ],
  ...[
    'Host: a\r\nHost: b\r\n',
    'Host: a b\r\n',
    'Host: a/b\r\n',
    'Host: \0\r\n',
    'Host: user@x\r\n',
    'Upgrade: websocket\r\nConnection: Upgrade\r\n',
    'Content-Length: 5\r\n',
  ],
  ...[
    `X: ${'x'.repeat(70_000)}\r\n`,
    'X: y\r\n'.repeat(3_000),
    'Expect: 100-continue\r\nContent-Length: 2\r\n',
    'HTTP2-Settings: x\r\nUpgrade: h2c\r\n',
    '\r\n\r\n\r\n',
  ],
];

/**
 * Texts after a request line: header fields and body, each broken in one way. With `Connection: close` the answer to a readable request
 * ends the connection, so a second answer belongs to a smuggled request.
 */
export const framings: readonly string[] = [
  ...contradictions.map(text => close + text),
  ...lengths.map(length => `${close}${json}Content-Length: ${length}\r\n\r\n{}`),
  ...codings.map(coding => `${close}${json}Transfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`),
  ...chunks.map(body => `${close}${json}${chunked}\r\n${body}`),
  ...lines.map(line => `${close}${line}\r\n`),
];
