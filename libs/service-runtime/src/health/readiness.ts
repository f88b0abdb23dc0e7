export interface HealthCheck {
  name: string;
  /** `live`: fails only when a restart is needed (never because a dependency is down). `ready`: the process may take traffic. */
  kind: 'live' | 'ready';
  /** Resolves when healthy; rejects, or resolves to a reason, when not. */
  check(): Promise<string | void> | string | void;
}

export interface HealthReport {
  status: 'ok' | 'failing';
  checks: Record<string, string>;
}

const checkTimeoutMs = 2_000;

/** Health of the process and the order in which it stops. Capabilities register their checks. */
export class Lifecycle {
  private readonly checks: HealthCheck[] = [];
  private readonly drains: { name: string; drain: () => Promise<void> }[] = [];
  private draining = false;

  addCheck(check: HealthCheck): void {
    this.checks.push(check);
  }

  /** `drain` finishes work in progress. Drains run in order of registration while both listeners still answer. */
  onDrain(name: string, drain: () => Promise<void>): void {
    this.drains.push({ name, drain });
  }

  get isDraining(): boolean {
    return this.draining;
  }

  /** Runs all drains, each to its end or failure; returns the failures. */
  async drain(): Promise<{ name: string; error: unknown }[]> {
    this.draining = true;
    const failures: { name: string; error: unknown }[] = [];
    for (const { name, drain } of this.drains) {
      try {
        await drain();
      } catch (error) {
        failures.push({ name, error });
      }
    }
    return failures;
  }

  async report(kind: HealthCheck['kind']): Promise<HealthReport> {
    const checks: Record<string, string> = {};
    if (kind === 'ready' && this.draining) checks['draining'] = 'stopping';
    await Promise.all(
      this.checks.filter(check => check.kind === kind).map(async check => (checks[check.name] = await outcomeOf(check))),
    );
    const failing = Object.values(checks).some(outcome => outcome !== 'ok');
    return { status: failing ? 'failing' : 'ok', checks };
  }
}

async function outcomeOf(check: HealthCheck): Promise<string> {
  const timeout = AbortSignal.timeout(checkTimeoutMs);
  const expired = new Promise<string>(resolve =>
    timeout.addEventListener('abort', () => resolve(`no answer in ${checkTimeoutMs} ms`)),
  );
  try {
    return (await Promise.race([Promise.resolve(check.check()), expired])) ?? 'ok';
  } catch (error) {
    return (error as { code?: string }).code ?? (error as Error).name;
  }
}
