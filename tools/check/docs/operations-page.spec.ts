import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { operationsPages } from './operations-page.ts';

const reference = join(__dirname, '../../../docs/reference/http');
const document = (name: string) => readFileSync(join(reference, `${name}.openapi.yaml`), 'utf8');
interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
}
const operationsOf = (text: string) => {
  const { paths, webhooks } = parse(text) as Record<'paths' | 'webhooks', Record<string, Record<string, Operation>> | undefined>;
  return Object.values({ ...paths, ...webhooks })
    .flatMap(item => Object.values(item))
    .filter(each => each.operationId !== undefined);
};

describe('the page of operations, which the search of the site reads', () => {
  const [page] = operationsPages(document('public'), document('webhooks'));

  it.each(['public', 'webhooks'])('has a heading and a link into the reference for every operation of %s', name => {
    const operations = operationsOf(document(name));
    expect(operations.length).toBeGreaterThan(1);
    for (const { operationId, summary, tags } of operations) {
      expect(page!.text.split(`\n### ${summary}\n`)).toHaveLength(2);
      const link = `](http/${name}.openapi.yaml#/${encodeURIComponent(tags[0]!)}/${operationId})`;
      expect(page!.text).toContain(link);
    }
  });

  it('names what a call is given and answers, so that a reader finds it by a field', () => {
    const part = page!.text.split('\n### ').find(each => each.startsWith('Create a payment code\n'))!;
    expect(part).toContain('`POST /pluto/code/create`');
    expect(part).toMatch(/^Request: .*`merchantReference`.*`expiryDate`/m);
    expect(part).toMatch(/^Answer: .*`codeUrl`/m);
  });
});
