import type { Logger } from '@paycode/service-runtime';

/** Waits for what a service knows; its silence is logged and named, because a page without one of its sources is better than none. */
export async function orSilent<T>(asked: Promise<T>, { name, silent, log }: Silence): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    log.warn({ event: 'witness-silent', source: name, err: error }, 'on call is shown less than another service knows');
    silent.push(name);
    return null;
  }
}

export interface Silence {
  name: string;
  /** Services that did not answer. */
  silent: string[];
  log: Logger;
}
