import { glossaryProblems } from './glossary.ts';

const glossary = [
  '# Glossary',
  '',
  '| Word | Meaning |',
  '|---|---|',
  '| payment code | Ten digits. |',
  '| PSP | A provider. |',
].join('\n');
const namedIn = (count: number, ...names: string[]) =>
  Array.from({ length: count }, (_, n) => [`apps/a/${n}.ts`, names.map(name => `export class ${name} {}`).join('\n')] as const);
const problems = (text: string, sources: ReturnType<typeof namedIn>) => glossaryProblems(text, sources).map(each => each.text);

describe('the glossary', () => {
  it('explains each word of names in more than three files, of plural names too', () => {
    expect(problems(glossary, namedIn(3, 'LedgerEntries'))).toEqual([]);
    expect(problems(glossary, namedIn(4, 'LedgerEntries'))).toEqual([
      '"ledger" stands in names of 4 files and not in docs/glossary.md',
      '"entry" stands in names of 4 files and not in docs/glossary.md',
    ]);
  });

  it('counts a part of an entry as explained, and ignores general words of programming', () => {
    expect(problems(glossary, namedIn(9, 'PaymentCodes', 'PSPStore', 'CodeSettings'))).toEqual([]);
  });

  it('counts files, not names in a file, and only what is exported', () => {
    const often = [
      [
        'a.ts',
        'export class LedgerOne {}\nexport type LedgerTwo = 1;\nexport interface LedgerThree {}\nexport class LedgerFour {}',
      ],
    ] as const;
    const hidden = Array.from({ length: 9 }, (_, n) => [`${n}.ts`, 'class Ledger {}'] as const);
    expect([...glossaryProblems(glossary, often), ...glossaryProblems(glossary, hidden)]).toEqual([]);
  });

  it('has no word twice', () => {
    expect(problems(`${glossary}\n| psp | Again. |`, [])).toEqual(['"psp" stands twice in docs/glossary.md']);
  });
});
