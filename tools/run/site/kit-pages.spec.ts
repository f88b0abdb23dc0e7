import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const kits = join(__dirname, '../../../kits');
/** Kits with programs that the tests run. Of C# no test runs anything, which its page says. */
const tested = readdirSync(kits).filter(
  name => name !== 'paycode-dev' && existsSync(join(kits, name, 'README.md')) && name !== 'csharp',
);
const codeFence = /^```(?:js|python|go|java|php|ruby|csharp)\n([^]*?)^```$/gm;

const lines = (text: string) => text.split('\n').map(line => line.trim());

/** Programs that the tests of a kit compile and run beside the kit itself. */
function programsOf(kit: string): string[][] {
  const folders = ['conform', 'frameworks'].map(name => join(kits, kit, name)).filter(existsSync);
  return folders.flatMap(folder => readdirSync(folder).map(file => lines(readFileSync(join(folder, file), 'utf8'))));
}

/** Parts of a page's code, ended by blank lines, that stand in no program, indentation aside. */
function inventedCode(page: string, programs: string[][]): string[] {
  // The first block is the whole program of the page: `npm run test:kits -- --table` runs it with the page's commands.
  const [, ...blocks] = [...page.matchAll(codeFence)].map(([, code]) => code!.trim());
  const stands = (part: string[]) =>
    programs.some(program => program.some((_, from) => part.every((line, at) => program[from + at] === line)));
  return blocks.flatMap(block => block.split('\n\n')).filter(part => !stands(lines(part)));
}

describe('code on the pages of the kits', () => {
  it.each(tested)('every line of code on the page of %s stands in a program that its tests run', kit => {
    const page = readFileSync(join(kits, kit, 'README.md'), 'utf8');
    expect([...page.matchAll(codeFence)].length).toBeGreaterThan(2);
    expect(inventedCode(page, programsOf(kit))).toEqual([]);
  });

  it('a line that no program has, or that stands elsewhere in it, is found', () => {
    const programs = [['first();', 'second();', 'third();']];
    const page = (code: string) => `\`\`\`js\nwhole();\n\`\`\`\n\`\`\`js\n${code}\n\`\`\`\n`;
    expect(inventedCode(page('first();\nsecond();\n\nthird();'), programs)).toEqual([]);
    expect(inventedCode(page('first();\nthird();'), programs)).toEqual(['first();\nthird();']);
    expect(inventedCode(page('fourth();'), programs)).toEqual(['fourth();']);
  });

  it('the page of a kit that no test runs says so', () => {
    expect(readFileSync(join(kits, 'csharp/README.md'), 'utf8')).toContain('**No test compiles or runs this kit or this page**');
  });
});
