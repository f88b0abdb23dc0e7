import { FileTree, misnamedFolders } from './named-folders.ts';

const tree = new FileTree([
  'README.md',
  'apps/shop/src/main.ts',
  'apps/shop/src/sell/sell.ts',
  'apps/shop/src/buy/buy.ts',
  'docs/a.md',
]);
const find = (text: string): string[] => misnamedFolders('docs/page.md', text, tree);
const block = (...lines: string[]): string => ['```text', ...lines, '```', ''].join('\n');

describe('folders that a page names', () => {
  it.each(['`apps/shop`', '`apps/shop/src/`', '`apps/shop/src/main.ts`', '`sell/`', '`apps/<app>/src`', 'apps/none'])(
    '%s is fine',
    text => {
      expect(find(text)).toEqual([]);
    },
  );

  it.each(['apps/none', 'apps/shop/src/sell/gone.ts', 'libs/none/'])(
    'a path in back quotes that is not there is reported: %s',
    path => {
      expect(find(`see \`${path}\`.`)).toEqual([`docs/page.md: no file or folder ${path}`]);
    },
  );

  it('a tree that shows every folder of the one it draws is fine', () => {
    expect(
      find(block('apps/shop/src/', '  sell/      from the shelf', '  buy/  for the shelf', 'docs/  apps/   README.md')),
    ).toEqual([]);
  });

  it('a folder of a tree that is not there is reported', () => {
    expect(find(block('apps/  lib/   libraries'))).toEqual(['docs/page.md: no folder lib']);
    expect(find(block('apps/shop/src/', '  sell/ buy/', '  rent/'))).toEqual(['docs/page.md: no folder apps/shop/src/rent']);
  });

  it('a folder that the tree forgets is reported', () => {
    expect(find(block('apps/shop/src/', '  sell/'))).toEqual([
      'docs/page.md: apps/shop/src/buy is not shown beside its neighbours',
    ]);
  });

  it('other text blocks are ignored', () => {
    expect(find(block('{"a": 1}', 'GET /none/', '<id>/none'))).toEqual([]);
  });
});
