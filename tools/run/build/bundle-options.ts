import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from '@swc/core';
import type { BuildOptions, Plugin } from 'esbuild';

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
