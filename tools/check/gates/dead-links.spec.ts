import { deadLinks, orphanPages } from './dead-links.ts';

const files: Record<string, string> = {
  'docs/a.md': '# A title, with (words)\n\n<a id="adr-0001"></a><a id="adr-0002"></a>\n## Two',
  'docs/sub': '',
  'docs/calls.openapi.yaml':
    'paths:\n  /codes:\n    post:\n      operationId: createCode\n      tags:\n        - Payment codes\n',
  'README.md': '# Top',
};
const find = (text: string): string[] => deadLinks('docs/page.md', `# Here\n${text}`, path => files[path]);

describe('links between pages', () => {
  it.each([
    '[a](a.md)',
    '[a](./a.md#a-title-with-words)',
    '[by its number](a.md#adr-0002)',
    '[s](sub)',
    '[up](../README.md)',
    '[self](#here)',
    '[net](https://example.com/x)',
    '[operation](calls.openapi.yaml#/Payment%20codes/createCode)',
  ])('%s is fine', text => {
    expect(find(text)).toEqual([]);
  });

  it.each(['b.md', '../a.md', 'a.md#three', 'a.md#adr-0003', '#there', 'calls.openapi.yaml#/Payment%20codes/readCode'])(
    'a link to %s is reported',
    target => {
      expect(find(`see [it](${target})`)).toEqual([`docs/page.md: link to ${target} leads nowhere`]);
    },
  );

  it('code blocks hold no links', () => {
    expect(find('```\n[x](nowhere.md)\n```\n')).toEqual([]);
  });

  it('a page under docs/ that no other page links to is reported', () => {
    const pages = [
      ['README.md', '[docs](docs/README.md)'],
      ['docs/README.md', '[a](how-to/a.md)'],
      ['docs/how-to/a.md', '[me](a.md)'],
      ['docs/how-to/b.md', '[b](#b)'],
    ] as const;
    expect(orphanPages(pages)).toEqual(['docs/how-to/b.md: no page links to it']);
  });
});
