import { forbiddenText } from './forbidden-text.ts';

// The planted texts are put together here, so that this file itself carries none of them.
const join = (...parts: string[]): string => parts.join('');

describe('forbidden text', () => {
  it.each([
    ['a.md', join('see /wo', 'rk/main/x'), 'absolute path of a machine'],
    ['a.ts', join('"/ho', 'me/someone/file"'), 'absolute path of a machine'],
    ['a.ts', join("'/ro", "ot/.npmrc'"), 'absolute path of a machine'],
    ['.npmrc', join('https://regi', 'stry.npmjs.org/'), 'host name of a package registry: any mirror must work'],
    ['package-lock.json', join('"resolved', '": "https://x/y.tgz"'), 'the lock file records where a package came from'],
    ['a.spec.ts', join('it.on', 'ly("x")'), 'a focused test hides the others'],
    ['a.spec.ts', join('describe.on', 'ly.each'), 'a focused test hides the others'],
    ['a.spec.ts', join('it.sk', 'ip("x")'), 'a skipped test needs a condition and a printed reason'],
    ['a.ts', join('try { x() } cat', 'ch {}'), 'an error is swallowed'],
    ['a.mjs', join('cat', 'ch (error) { }'), 'an error is swallowed'],
    ['a.ts', join('promise.cat', 'ch(() => undefined)'), 'an error is swallowed without a comment that says why'],
    ['a.ts', join('// esl', 'int-disable-next-line'), 'exceptions stand in eslint.config.mjs, with their reasons'],
    ['a.ts', join('// TO', 'DO later'), 'left for later: do it or write it down in docs'],
    [
      'a.ts',
      join('// Wh', 'at the caller asked for.'),
      'a sentence begins with a headless Who or What: begin with the actor or the thing',
    ],
    [
      'a.md',
      join('It waits. Who', 'ever comes later waits too.'),
      'a sentence begins with a headless Who or What: begin with the actor or the thing',
    ],
    ['a.md', join('<<<<', '<<< HEAD\n'), 'unresolved merge conflict'],
  ])('%s with %j is reported', (file, text, reason) => {
    expect(forbiddenText(file, `first line\n${text}`)).toEqual([{ place: `${file}:2`, reason }]);
  });

  it.each([
    ['a.md', 'https://pay.example.com/root/x and https://registry.example.com/v2'],
    ['a.ts', "request('/work-orders'); framework/main; readOnly(x)"],
    ['a.md', '| A-75 | What is a card number (R-2.5-15)? | 13 digits |'],
    ['a.ts', 'try { x() } catch (cause) { throw new Fault(cause); }'],
    ['a.ts', join('// the caller reports it\nvoid promise.cat', 'ch(() => undefined)')],
    ['a.spec.ts', 'const maybe = hasKafka ? describe : describe.skip;'],
  ])('%s with %j is fine', (file, text) => {
    expect(forbiddenText(file, text)).toEqual([]);
  });
});
