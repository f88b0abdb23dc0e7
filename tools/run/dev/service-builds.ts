import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apps, buildApps } from '../build.ts';

/** The rebuilt services, and the time it took. */
export interface Build {
  services: string[];
  tookMs: number;
}

/** Bundles in a folder of their own: another `npm start` of this tree, or its tests, keep theirs. */
export class ServiceBuilds {
  readonly folder: string;
  private readonly hashes = new Map<string, string>();

  constructor(root: string) {
    this.folder = join(root, 'dist/dev/apps');
  }

  async buildAll(): Promise<void> {
    const all = await apps();
    await this.build(all);
    for (const app of all) this.hashes.set(app, this.hashOf(app));
  }

  /**
   * Rebuilds after changes of these apps, or of a library (undefined). Returns the changed apps, and the other services whose bundle
   * differs.
   */
  async rebuild(changed: ReadonlySet<string | undefined>): Promise<Build> {
    const startedAt = performance.now();
    const candidates = changed.has(undefined) ? await apps() : [...changed].filter(app => app !== undefined);
    await this.build(candidates);
    const services = candidates.filter(app => {
      const hash = this.hashOf(app);
      const isOther = this.hashes.get(app) !== hash;
      this.hashes.set(app, hash);
      return isOther || changed.has(app);
    });
    return { services, tookMs: performance.now() - startedAt };
  }

  private build(names: readonly string[]): Promise<void> {
    return buildApps(names, app => join(this.folder, app));
  }

  private hashOf(app: string): string {
    return createHash('sha256')
      .update(readFileSync(join(this.folder, app, 'main.cjs')))
      .digest('hex');
  }
}
