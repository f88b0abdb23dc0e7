import { citedIdProblems, definedIds, doubleIds } from './cited-ids.ts';

const pages = new Map([
  ['docs/specification/requirements.md', '- R-2.1-1 An account.\n'],
  ['docs/specification/decisions.md', '| A-13 | Redelivery | Yes |\n| A-14 | Late | No |\n'],
  ['docs/specification/threats.md', '| T-11 | Inward |\n'],
  [
    'docs/specification/settlement-protocol.md',
    "### 1.2 States\n| P-1.2-4' | ARMED |\n### 1.3 Timing\n- **P-T8** ours\n| P-I4 | never |\n| F-45 | hangs |\n",
  ],
]);
const defined = definedIds(pages);
const problems = (text: string, file = 'apps/a.spec.ts'): string[] => citedIdProblems(file, text, defined);

describe('ids that are cited', () => {
  it.each(['R-2.1-1', 'A-13', 'T-11', "P-1.2-4'", 'P-1.3', 'P-T8', 'P-I4', 'F-45'])('%s is known', name => {
    expect(problems(`// A sentence (${name}).`)).toEqual([]);
  });

  it.each(['R-2.1-2', 'A-99', 'T-12', 'P-1.2-9', 'P-1.9', 'P-T7', 'P-I5', 'F-46'])(
    '%s, which no page defines, is reported',
    name => {
      expect(problems(`\n// A sentence (${name}).`)).toEqual([`apps/a.spec.ts:2: no page defines ${name}`]);
      expect(problems(`a page says ${name}`, 'docs/a.md')).toHaveLength(1);
    },
  );

  it('a text that only looks like an id is ignored', () => {
    expect(problems('// UTF-8, SHA-256, GR-8-1, RSA-OAEP-256 and a row of 8')).toEqual([]);
  });

  it.each(['// T8: ours', '/** Never (I4). */', '// see row 8', '// fault case 45'])(
    'an id without its page is reported: %s',
    text => {
      expect(problems(text)).toHaveLength(1);
      expect(problems(text, 'docs/a.md')).toEqual([]);
    },
  );

  it.each([
    '// P-T8: ours',
    '/** A-13, A-14: repeated. */',
    "it('A-13: repeats', () => {})",
    "it('regression, A-13: repeats', f)",
  ])('an id before the words is reported: %s', text => {
    expect(problems(text)).toEqual([expect.stringContaining('words come first')]);
  });

  it('a test name carries two ids at most; the describe around it carries more', () => {
    expect(problems("it('repeats (A-13, A-14)', f); describe('as in A-13, A-14, T-11', g)")).toEqual([]);
    expect(problems("it('repeats (A-13, A-14, T-11)', f)")).toEqual([expect.stringContaining('2 ids at most')]);
    expect(problems("it.each([1, 2])('repeats %d (A-13, A-14, T-11)', f)")).toHaveLength(1);
  });

  it('an id that is defined twice is reported', () => {
    const twice = definedIds(new Map([['docs/specification/threats.md', '| T-11 | one |\n| T-11 | two |\n']]));
    expect(doubleIds(twice)).toEqual(['docs/specification: T-11 is defined 2 times']);
    expect(doubleIds(defined)).toEqual([]);
  });
});
