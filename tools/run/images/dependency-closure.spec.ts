import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagesApart } from '../build/package-bundle';
import { dependencyClosure, forProduction, type LockFile, packagesRequiredBy } from './dependency-closure';

const lock: LockFile = {
  packages: {
    'node_modules/a': { dependencies: { b: '2' } },
    'node_modules/b': {},
    'node_modules/a/node_modules/b': { dependencies: { c: '1' }, optionalDependencies: { native: '1', absent: '1' } },
    'node_modules/c': { peerDependencies: { d: '1', e: '1' }, peerDependenciesMeta: { e: { optional: true } } },
    'node_modules/d': {},
    'node_modules/e': {},
    'node_modules/native': {},
    'node_modules/tool': { dev: true },
  },
};

describe('the packages an image needs', () => {
  it('are the packages that the bundle requires, without modules of Node', () => {
    const bundle =
      'require("@nestjs/core/helpers/x.js");require("node:fs");require("fs");import("pg");require("./own.cjs");require("pg/lib")';
    expect(packagesRequiredBy(bundle)).toEqual(['@nestjs/core', 'pg']);
  });

  it('include their own dependencies, each copy where npm put it, and optional peers only if nothing else names them', () => {
    const expected = [
      'node_modules/a',
      'node_modules/a/node_modules/b',
      'node_modules/c',
      'node_modules/d',
      'node_modules/native',
    ];
    expect(dependencyClosure(lock, ['a'])).toEqual(expected);
  });

  it('are never a development dependency, and never missing', () => {
    expect(() => forProduction(lock, ['node_modules/a', 'node_modules/tool'])).toThrow(
      'only a development dependency: node_modules/tool',
    );
    expect(() => forProduction(lock, ['node_modules/nothing'])).toThrow('not in package-lock.json: node_modules/nothing');
    expect(() => dependencyClosure(lock, ['nothing'])).toThrow('nothing, needed by the bundle, is not in package-lock.json');
    expect(forProduction(lock, ['node_modules/a'])).toEqual(['node_modules/a']);
  });

  it('of this workspace are all locked, without those that only tests and builds need', () => {
    const real = JSON.parse(readFileSync(join(__dirname, '../../../package-lock.json'), 'utf8')) as LockFile;
    const places = dependencyClosure(real, packagesApart);
    expect(forProduction(real, places)).toContain('node_modules/kafkajs');
  });
});
