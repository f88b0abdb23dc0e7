import { basename, dirname } from 'node:path';

const topFolders = 'apps|libs|tools|docs|docker|k8s|kits';
const inlinePath = new RegExp(String.raw`\`((?:${topFolders})/[\w./-]+)\``, 'g');
const codeBlock = /^```text\n([\s\S]*?)^```/gm;
/** A line of a drawn tree: its indent, and the folders that it begins with (`docker/ k8s/` are two). */
const treeLine = /^( *)((?:[\w.-]+\/)+(?: +(?:[\w.-]+\/)+(?= |$))*)(?= |$)/;

/** The folders that a list of files makes. Paths from the root, without a slash at the end. */
export class FileTree {
  private readonly paths: ReadonlySet<string>;
  private readonly folders: ReadonlySet<string>;

  constructor(files: readonly string[]) {
    this.folders = new Set(files.flatMap(foldersOf));
    this.paths = new Set([...files, ...this.folders]);
  }

  /** A file or a folder. */
  has(path: string): boolean {
    return this.paths.has(path);
  }

  /** Names of the folders directly in a folder. */
  foldersIn(path: string): string[] {
    return [...this.folders].filter(folder => dirname(folder) === path).map(folder => basename(folder));
  }
}

function foldersOf(file: string): string[] {
  const folder = dirname(file);
  return folder === '.' ? ['.'] : [folder, ...foldersOf(folder)];
}

/**
 * Wrong statements of a Markdown page about folders. A path in back quotes must exist. Each line of a tree in a `text` block must exist; a
 * tree that shows the content of a folder must show every folder in it.
 */
export function misnamedFolders(file: string, text: string, tree: FileTree): string[] {
  const prose = text.replace(codeBlock, '');
  const inline = [...prose.matchAll(inlinePath)].map(([, path]) => path!).filter(path => !tree.has(path.replace(/\/$/, '')));
  const blocks = [...text.matchAll(codeBlock)].flatMap(([, block]) => wrongInTree(block!, tree));
  return [...inline.map(path => `no file or folder ${path}`), ...blocks].map(problem => `${file}: ${problem}`);
}

function wrongInTree(block: string, tree: FileTree): string[] {
  const shown = foldersShown(block);
  const gone = shown.map(({ path }) => path).filter(path => !tree.has(path));
  const drawn = new Set(shown.map(({ base }) => base).filter(base => base !== ''));
  const forgotten = [...drawn].flatMap(base => {
    const names = shown.filter(folder => folder.base === base).map(({ path }) => basename(path));
    return tree
      .foldersIn(base)
      .filter(name => !names.includes(name))
      .map(name => `${base}/${name}`);
  });
  return [...gone.map(path => `no folder ${path}`), ...forgotten.map(path => `${path} is not shown beside its neighbours`)];
}

/** `base`: the folder whose content is drawn; empty for a line without indent. */
function foldersShown(block: string): { path: string; base: string }[] {
  let top = '';
  return block.split('\n').flatMap(line => {
    const [, indent = '', names = ''] = treeLine.exec(line) ?? [];
    const folders = names
      .split(/ +/)
      .filter(name => name !== '')
      .map(name => name.replace(/\/$/, ''));
    if (indent !== '') return folders.map(name => ({ path: `${top}/${name}`, base: top }));
    top = folders[0] ?? top;
    return folders.map(path => ({ path, base: '' }));
  });
}
