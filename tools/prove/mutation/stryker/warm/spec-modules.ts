import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The parts of the Jest configuration of the unit specs (jest.config.cjs) that this file reads. */
interface SpecConfig {
  rootDir: string;
  testMatch: string[];
  testTimeout: number;
  testPathIgnorePatterns: string[];
  moduleNameMapper: Record<string, string>;
  transform: Record<string, [string, object]>;
}

interface Compiler {
  transformSync(source: string, options: object): { code: string };
}

/**
 * The unit specs of the area and the modules that they load, by the same configuration as under Jest, but in this process: what was loaded
 * stays until `forget`.
 */
export class SpecModules {
  readonly config: SpecConfig;
  private readonly root = process.cwd();
  private readonly require = createRequire(join(process.cwd(), 'package.json'));
  private readonly swc = this.require('@swc/core') as Compiler;
  private readonly compiled = new Map<string, string>();
  private readonly kept: ReadonlySet<string>;

  constructor() {
    this.config = this.require('./tools/prove/mutation/stryker/jest.config.cjs') as SpecConfig;
    this.require('reflect-metadata');
    this.kept = new Set(Object.keys(this.require.cache));
    registerHooks({
      resolve: (specifier, context, next) => {
        const found = this.isOurs(context.parentURL) ? this.find(specifier, fileURLToPath(context.parentURL!)) : undefined;
        return found ? { url: pathToFileURL(found).href, format: 'commonjs', shortCircuit: true } : next(specifier, context);
      },
      load: (url, context, next) =>
        this.isOurs(url) && url.endsWith('.ts')
          ? { format: 'commonjs', source: this.compile(fileURLToPath(url)), shortCircuit: true }
          : next(url, context),
    });
  }

  /** Paths of the spec files. */
  get files(): string[] {
    const ignored = this.config.testPathIgnorePatterns.map(pattern => new RegExp(pattern));
    const patterns = this.config.testMatch.map(pattern => pattern.replace('<rootDir>', this.config.rootDir));
    return globSync(patterns).filter(file => !ignored.some(pattern => pattern.test(file)));
  }

  /** Runs the file anew, which defines its tests; the modules that it imports are the loaded ones. */
  define(file: string): void {
    delete this.require.cache[file];
    this.require(file);
  }

  /** The next `define` loads every module anew. */
  forget(): void {
    for (const file of Object.keys(this.require.cache)) if (!this.kept.has(file)) delete this.require.cache[file];
  }

  private isOurs(url: string | undefined): boolean {
    return url !== undefined && url.startsWith(pathToFileURL(this.root).href) && !url.includes('/node_modules/');
  }

  private find(specifier: string, from: string): string | undefined {
    for (const [pattern, file] of Object.entries(this.config.moduleNameMapper))
      if (new RegExp(pattern).test(specifier)) return file;
    if (!specifier.startsWith('.')) return undefined;
    const path = join(dirname(from), specifier);
    return [path, `${path}.ts`, join(path, 'index.ts')].find(file => file.endsWith('.ts') && existsSync(file));
  }

  private compile(file: string): string {
    const known = this.compiled.get(file);
    if (known !== undefined) return known;
    const [[, options]] = Object.values(this.config.transform) as [[string, object]];
    const { code } = this.swc.transformSync(readFileSync(file, 'utf8'), { ...options, filename: file });
    this.compiled.set(file, code);
    return code;
  }
}
