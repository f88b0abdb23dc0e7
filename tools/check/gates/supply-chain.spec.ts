import { isLicenceAllowed, type LockEntry, supplyChainProblems } from './supply-chain.ts';
import type { SupplyChainPolicy } from '../../run/images/supply-chain.policy.ts';

const policy: SupplyChainPolicy = {
  licences: ['MIT', 'ISC'],
  developmentLicences: ['CC-BY-4.0'],
  decidedLicences: {},
  installScripts: {},
};
const fine: LockEntry = { version: '1.0.0', license: 'MIT', integrity: 'sha512-AAAA' };

/** Problems of one package `a`, with these changes of its entry, of the policy and of package.json. */
const check = (entry: LockEntry, over: Partial<SupplyChainPolicy> = {}, allowScripts: Record<string, boolean> = {}) =>
  supplyChainProblems(
    { lock: { packages: { '': {}, 'node_modules/b/node_modules/a': { ...fine, ...entry } } }, manifest: { allowScripts } },
    { ...policy, ...over },
  ).map(({ rule }) => rule);

describe('packages follow the decisions (T-42)', () => {
  it('a package with an allowed licence, an integrity and no script is fine', () => {
    expect(check({})).toEqual([]);
  });

  it.each<[string, string, LockEntry]>([
    ['licence', 'a licence nobody allowed', { license: 'AGPL-3.0-only' }],
    ['licence', 'one of two licences that both hold', { license: 'MIT AND AGPL-3.0-only' }],
    ['licence', 'no licence', { license: undefined }],
    ['licence', 'a licence of data in a service', { license: 'CC-BY-4.0' }],
    ['install-script', 'a script nobody decided on', { hasInstallScript: true }],
    ['integrity', 'no integrity', { integrity: undefined }],
    ['integrity', 'a weak integrity', { integrity: 'sha1-AAAA' }],
    ['resolved', 'a host', { resolved: 'https://packages.example.com/a.tgz' }],
  ])('%s: %s is reported', (rule, _, entry) => {
    expect(check(entry)).toEqual([rule]);
  });

  it('a decision applies to its version, and to the scripts that package.json allows', () => {
    const decidedLicences = { 'a@1.0.0': { licence: 'MIT', reason: 'its LICENSE file' } };
    expect(check({ license: undefined }, { decidedLicences })).toEqual([]);
    expect(check({ license: undefined, version: '1.0.1' }, { decidedLicences })).toEqual(['licence', 'unused']);
    const installScripts = { a: { reason: 'tells its maker who installs it', runs: false } };
    expect(check({ hasInstallScript: true }, { installScripts }, { a: false })).toEqual([]);
    expect(check({ hasInstallScript: true }, { installScripts }, { a: true })).toEqual(['install-script']);
    expect(check({ hasInstallScript: true }, { installScripts })).toEqual(['install-script']);
  });

  it('a decision that no package needs is reported', () => {
    expect(check({}, { decidedLicences: { 'a@1.0.0': { licence: 'MIT', reason: 'x' } } })).toEqual(['unused']);
    expect(check({}, {}, { gone: true })).toEqual(['unused']);
  });

  it('packages of development may have more licences', () => {
    expect(check({ license: 'CC-BY-4.0', dev: true })).toEqual([]);
  });

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['MIT AND ISC', true],
    ['(MIT AND GPL-3.0-only)', false],
    ['MIT WITH some-exception', false],
    ['SEE LICENSE IN x', false],
    ['', false],
  ])('the licence expression %j: %s', (expression, isAllowed) => {
    expect(isLicenceAllowed(expression, policy.licences)).toBe(isAllowed);
  });
});
