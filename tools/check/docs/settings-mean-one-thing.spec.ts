import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Setting {
  type: string;
  unit?: string;
  default?: unknown;
}

/** Standalone gives each service its own. */
const ownOfEach = ['INTERNAL_PORT', 'PUBLIC_PORT'];

describe('settings', () => {
  it('that several services read have one type, unit and default, because standalone gives all of them one value', () => {
    const page = readFileSync(join(__dirname, '../../../docs/reference/environment.json'), 'utf8');
    const { standalone, ...services } = JSON.parse(page) as Record<string, Record<string, Setting>>;
    const meanings = new Map<string, Set<string>>();
    for (const [name, { type, unit, default: value }] of Object.values(services).flatMap(settings => Object.entries(settings)))
      meanings.set(name, (meanings.get(name) ?? new Set()).add(JSON.stringify({ type, unit, value })));
    const several = [...meanings].flatMap(([name, all]) => (all.size > 1 ? [name] : [])).sort();
    expect(standalone).toBeDefined();
    expect(meanings.size).toBeGreaterThan(100);
    expect(several).toEqual(ownOfEach);
  });
});
