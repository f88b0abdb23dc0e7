import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scenarios } from '@paycode/dto/sandbox';
import { IntlMessageFormat } from 'intl-messageformat';
import ar from './ar.json';
import es from './es.json';

const root = join(__dirname, '..');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter(name => /\.tsx?$/.test(name) && !name.endsWith('.spec.ts'))
  .map(name => readFileSync(join(root, name), 'utf8').replaceAll("\\'", "'"))
  .join('\n');
/** Of each status in itself the page shows the name alone. */
const told = scenarios.flatMap(({ sees, ought, timeline }) => (ought === null ? [] : [sees, ought, timeline!]));

type Part = ReturnType<IntlMessageFormat['getAst']>[number];

/** Values and marks that a message takes. */
function namesOf(parts: readonly Part[]): string[] {
  return parts.flatMap(part => [
    ...('value' in part && (part.type as number) !== 0 ? [part.value as string] : []),
    ...('children' in part ? namesOf(part.children) : []),
    ...('options' in part ? Object.values(part.options).flatMap(({ value }) => namesOf(value)) : []),
  ]);
}
const takenBy = (message: string, locale: string) =>
  [...new Set(namesOf(new IntlMessageFormat(message, locale).getAst()))].sort();

/** proves: each text of the portal is there in each of its languages. */
describe('the catalogues of the portal', () => {
  it('have the same texts: those that the pages use, which the compiler checks, those of the scenarios, and no other', () => {
    expect(Object.keys(ar)).toEqual(Object.keys(es));
    expect(Object.keys(es).filter(text => !sources.includes(text) && !told.includes(text))).toEqual([]);
    expect(told.filter(text => !Object.hasOwn(es, text))).toEqual([]);
  });

  it.each(Object.entries({ es, ar }))(
    '%s takes the values and marks of the English text, and no entry is empty',
    (locale, catalogue) => {
      const wrong = Object.entries(catalogue).filter(
        ([text, said]) => said === '' || takenBy(said, locale).join() !== takenBy(text, 'en').join(),
      );
      expect(wrong).toEqual([]);
    },
  );
});
