import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { transform } from '@swc/core';
import { type BuildOptions, type Plugin, build } from 'esbuild';

const root = join(import.meta.dirname, '../../..');

/** SWC handles files with decorators so that Nest and TypeORM find their metadata. */
export const decorators: Plugin = {
  name: 'swc-decorators',
  setup(builder) {
    builder.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      if (!/@\w/.test(source)) return { contents: source, loader: 'ts' };
      const { code } = await transform(source, {
        filename: path,
        configFile: false,
        swcrc: false,
        sourceMaps: 'inline',
        module: { type: 'es6' },
        jsc: {
          target: 'es2022',
          keepClassNames: true,
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        },
      });
      return { contents: code, loader: 'js' };
    });
  },
};

/** How everything of this workspace is bundled; entry points and output are the caller's. Packages are left in node_modules. */
export const bundleOptions: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  packages: 'external',
  tsconfig: join(root, 'tsconfig.base.json'),
  sourcemap: true,
  logLevel: 'warning',
  plugins: [decorators],
};

/**
 * A script without letters beyond ASCII. esbuild leaves those of comments and regular expressions as they are, and one letter beyond Latin-1
 * makes V8 keep two bytes for each of the whole text.
 */
export function inAscii(text: string): string {
  return text.replace(/(\\*)([^\0-\x7f])/g, (_, backslashes: string, letter: string) => {
    // One that stands alone before a letter says nothing in a pattern; before a code it would be a backslash.
    const before = backslashes.slice(backslashes.length % 2);
    return `${before}\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Inside the workspace, so that packages resolve. */
const outdir = join(root, '.cache/modules');
const require = createRequire(import.meta.url);

/** Bundles source files of the workspace (path aliases included) and loads them: name to exports. `tree`: another copy of the workspace. */
export async function loadWorkspaceModules(
  files: Record<string, string>,
  tree = root,
): Promise<Record<string, Record<string, unknown>>> {
  mkdirSync(outdir, { recursive: true });
  // A folder for each call: calls overlap, and one must not load what another is writing.
  const folder = mkdtempSync(join(outdir, 'of-'));
  try {
    const place = { absWorkingDir: tree, tsconfig: join(tree, 'tsconfig.base.json'), outdir: folder };
    await build({ ...bundleOptions, ...place, sourcemap: false, entryPoints: files });
    require('reflect-metadata');
    return Object.fromEntries(
      Object.keys(files).map(name => [name, require(join(folder, `${name}.cjs`)) as Record<string, unknown>]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
