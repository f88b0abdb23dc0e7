import { isStandardPair, readUrl, targetOf, urlCharsMax } from './url-rules';

const ports = [80, 443, 8_080, 8_443, 1, 22, 81, 3_000, 8_000, 8_081, 8_444, 65_535];

/** A host name of that length, of labels that DNS allows. */
const hostOf = (length: number): string =>
  'abc.'
    .repeat(length)
    .slice(0, length - 1)
    .replace(/\.$/, 'x') + 'z';
const urlOf = (length: number): string => `https://a.test/${'x'.repeat(length - 15)}`;

describe('rules for webhook URLs', () => {
  describe('as in R-8-6, R-6.2-6, A-45', () => {
    it.each([
      ['production', 'https:', [443, 8_443]],
      ['production', 'http:', []],
      ['sandbox', 'https:', [443, 8_443]],
      ['sandbox', 'http:', [80, 8_080]],
    ] as const)('in %s %s may use the ports %j and no other', (environment, protocol, allowed) => {
      const usable = ports.filter(port => isStandardPair({ protocol, hostname: 'shop.test', port }, { environment }));
      expect(usable).toEqual(allowed);
    });
  });

  it('a URL has the port that it names, without one that of its scheme', () => {
    const portOf = (url: string) => targetOf(new URL(url)).port;
    expect(['https://a.test', 'http://a.test', 'https://a.test:8443'].map(portOf)).toEqual([443, 80, 8_443]);
  });

  it.each([
    ['https://a.test/x#', 'FRAGMENT'],
    ['https://a.test/#x', 'FRAGMENT'],
    ['https://u@a.test/', 'USER_INFO'],
    ['https://@a.test/', 'USER_INFO'],
    ['https://127.0.0.1/', 'IP_LITERAL'],
    ['https://[2606:2800::1]/', 'IP_LITERAL'],
    ['https://0x7f.1/', 'IP_LITERAL'],
    ['https:a.test', 'MALFORMED'],
    ['https://a.test/\t', 'MALFORMED'],
    ['https://a_b-.test/', 'MALFORMED'],
  ])('%j is refused: %s', (url, refusal) => {
    expect(readUrl(url, { environment: 'production' })).toEqual({ refusal });
  });

  it.each([
    ['too long', 'TOO_LONG', `https://a.test/${'x'.repeat(urlCharsMax)}`],
    ['too long once it is encoded', 'TOO_LONG', `https://a.test/${'é'.repeat(1_000)}`],
    ['with an empty label', 'MALFORMED', 'https://a..test/'],
    ['that begins with a dot', 'MALFORMED', 'https://.a.test/'],
    ['that ends with two dots', 'MALFORMED', 'https://a.test../'],
    ['whose host is too long', 'MALFORMED', `https://${hostOf(254)}/`],
    ['whose host is too long before its last dot', 'MALFORMED', `https://${hostOf(254)}./`],
  ])('a URL %s is refused: %s', (_, refusal, url) => {
    expect(readUrl(url, { environment: 'production' })).toEqual({ refusal });
  });

  it.each([
    ['that ends with a dot', 'https://a.test./'],
    ['with the longest host', `https://${hostOf(253)}/`],
    ['with the longest host and a dot', `https://${hostOf(253)}./`],
    ['as long as it may be', urlOf(urlCharsMax)],
  ])('a URL %s is not refused', (_, url) => {
    expect(readUrl(url, { environment: 'production' })).toEqual({ url: new URL(url) });
  });

  it('reads a text that is too long no further: it may be malformed as well', () => {
    expect(readUrl(` ${urlOf(urlCharsMax)}`, { environment: 'production' })).toEqual({ refusal: 'TOO_LONG' });
  });

  it('an IP literal is for the sandbox', () => {
    expect(readUrl('https://93.184.216.34/', { environment: 'sandbox' })).toHaveProperty('url');
  });
});
