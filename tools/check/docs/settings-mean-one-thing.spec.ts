import { readDeclarations } from '../../run/build/read-declarations.ts';

/** Standalone gives each service its own. */
const ownOfEach = ['INTERNAL_PORT', 'PUBLIC_PORT'];

describe('settings', () => {
  it('that several services read have one type, unit and default, because standalone gives all of them one value', () => {
    const { standalone, ...services } = readDeclarations().settings;
    const meanings = new Map<string, Set<string>>();
    for (const [name, { type, unit, default: value }] of Object.values(services).flatMap(settings => Object.entries(settings)))
      meanings.set(name, (meanings.get(name) ?? new Set()).add(JSON.stringify({ type, unit, value })));
    const several = [...meanings].flatMap(([name, all]) => (all.size > 1 ? [name] : [])).sort();
    expect(standalone).toBeDefined();
    expect(meanings.size).toBeGreaterThan(100);
    expect(several).toEqual(ownOfEach);
  });
});
