import { inAscii } from './in-ascii.ts';

describe('a script in ASCII', () => {
  it.each(['/[“”é]/', '/\\é/', '/\\\\é/', '"a\\\\é"', '/^(УНП )?\\d{9}$/', '"💳"', '/^[💳]$/u'])(
    '%s means what it meant',
    script => {
      const written = inAscii(script);
      expect(written).toMatch(/^[\0-\x7f]+$/);
      const value = (text: string) => (0, eval)(text) as RegExp | string;
      for (const tried of ['“', 'é', '\\é', 'УНП 123456789', '💳']) {
        const [before, after] = [value(script), value(written)];
        if (typeof before === 'string') expect(after).toBe(before);
        else expect((after as RegExp).test(tried)).toBe(before.test(tried));
      }
    },
  );
});
