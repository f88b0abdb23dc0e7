import { indentedJson } from './indented-json';

const shown = (text: string) =>
  indentedJson(text)
    .map(piece => piece.text)
    .join('');

describe('a notification in lines', () => {
  it('keeps every digit, escape and repeated key of what was sent, and indents as JSON.stringify does', () => {
    const text =
      '{"amount":80.00,"id":12345678901234567890,"list":[1,{"a":null}],"none":{},"empty":[],"text":"a \\"b\\", {c}: d"}';
    expect(shown(text).replaceAll(/\n\s*|(?<=": |":) /g, '')).toBe(text.replaceAll('": ', '":'));
    const plain = { a: [1, { b: 'x: y' }, []], c: {}, d: 'e\\' };
    expect(shown(JSON.stringify(plain))).toBe(JSON.stringify(plain, null, 2));
  });

  it('tells keys, strings and other values apart', () => {
    const kinds = indentedJson('{"a": "b","c":-1.50,"d":true}').flatMap(({ kind, text }) =>
      kind === 'mark' ? [] : [[kind, text]],
    );
    expect(kinds).toEqual([
      ['key', '"a"'],
      ['string', '"b"'],
      ['key', '"c"'],
      ['value', '-1.50'],
      ['key', '"d"'],
      ['value', 'true'],
    ]);
  });

  it('leaves a text that is no JSON as it is, and shows all of one that is cut', () => {
    expect(shown('no JSON: "a"')).toBe('no JSON: "a"');
    expect(shown('{"a":"open')).toBe('{\n  "a": "open');
    expect(shown('{}]}')).toBe('{}\n]\n}');
  });
});
