import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scenarios } from '@paycode/dto/sandbox';
import { IntlMessageFormat } from 'intl-messageformat';
import ar from './ar.json';
import es from './es.json';

const sourcesIn = (folder: string, but = /\.spec\.ts$/) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name) && !but.test(name))
    .map(name => readFileSync(join(folder, name), 'utf8').replaceAll("\\'", "'"))
    .join('\n');
const sources = sourcesIn(join(__dirname, '..'));
/** The sources whose refusals people see. The files left out refuse programs and operators only. */
const portal = sourcesIn(
  join(__dirname, '../../../portal/src'),
  /spec\.ts$|^(testing|owner-recovery|reconciliation)|pages\.controller|identity-providers\.(service|controller)/,
);
const refusals = [...portal.matchAll(/(?:(?<!\{ )message: |\bmessage =\s+|refusal\(\[[^\]]+\],\s*)'([^']+)'/g)]
  .map(([, text]) => `${text!.charAt(0).toUpperCase()}${text!.slice(1)}.`)
  .filter(text => !/paycode owners ask|^TxState/.test(text));
const services = ['portal/src', 'notification-config/src', '../libs/service-runtime/src']
  .map(folder => sourcesIn(join(__dirname, '../../..', folder)).toLowerCase())
  .join();
/** Code may put a refusal together from parts. Then three words in a row of it stand in a source. */
const isRefusal = (text: string) => {
  const words = text.toLowerCase().replace(/\.$/, '').split(' ');
  const runs = Array.from({ length: Math.max(1, words.length - 2) }, (_, at) => words.slice(at, at + 3).join(' '));
  return runs.some(run => services.includes(run));
};
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
  it('have the same texts: those that the pages use, which the compiler checks, those of the scenarios, the refusals of the portal, and no other', () => {
    expect(Object.keys(ar)).toEqual(Object.keys(es));
    expect(Object.keys(es).filter(text => !sources.includes(text) && !told.includes(text) && !isRefusal(text))).toEqual([]);
    expect([...told, ...refusals].filter(text => !Object.hasOwn(es, text))).toEqual([]);
    expect(refusals.length).toBeGreaterThan(30);
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
