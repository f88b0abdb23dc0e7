import fc from 'fast-check';
import { InterimResponses } from './origin-connection';

const final = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
const interim = ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 'HTTP/1.0 199 X\r\n\r\n'];

function through(chunks: readonly string[]): string {
  const filter = new InterimResponses();
  filter.expectAnswer();
  return chunks.map(chunk => filter.pass(Buffer.from(chunk, 'latin1')).toString('latin1')).join('');
}

describe('interim responses (F-22)', () => {
  it.each(interim)('%j is removed before the final answer', text => {
    expect(through([text + final])).toBe(final);
    expect(through([text, final])).toBe(final);
  });

  it('leaves any final answer as it is, however the bytes are cut', () => {
    const answer = fc.constantFrom(
      final,
      'HTTP/1.1 500 X\r\n\r\nHTTP/1.1 100 no\r\n\r\n',
      'garbage without end',
      'HTTP/1.1 101 Switching\r\n\r\n',
    );
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...interim)), answer, fc.array(fc.nat(200)), (before, text, cuts) => {
        const all = before.join('') + text;
        const points = [0, ...cuts.map(cut => cut % all.length).sort((a, b) => a - b), all.length];
        const chunks = points.slice(1).map((point, n) => all.slice(points[n], point));
        expect(through(chunks)).toBe(text);
      }),
    );
  });

  it('passes nothing on while an interim head is not complete', () => {
    expect(through(['HTTP/1.1 100 Cont'])).toBe('');
  });

  it('gives a head that never ends to the parser, which refuses it', () => {
    const endless = `HTTP/1.1 103 X\r\n${'a: b\r\n'.repeat(3_000)}`;
    expect(through([endless])).toBe(endless);
  });

  it('filters again for the next request only when told', () => {
    const filter = new InterimResponses();
    filter.expectAnswer();
    filter.pass(Buffer.from(final));
    expect(filter.pass(Buffer.from(interim[0]!)).toString()).toBe(interim[0]);
    filter.expectAnswer();
    expect(filter.pass(Buffer.from(interim[0]!)).toString()).toBe('');
  });
});
