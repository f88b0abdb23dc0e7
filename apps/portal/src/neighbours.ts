import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InternalCallError, InternalClient, type InternalClientOptions, ServiceTokenSigner } from '@paycode/access';
import type { PortalAnswer } from '@paycode/dto';
import { DomainError, type Logger } from '@paycode/service-runtime';

/** Connections to the other services. Each use has its own, so that slow calls of one leave the sockets of the others free. */
@Injectable()
export class Neighbours implements OnApplicationShutdown {
  private readonly clients: InternalClient[] = [];

  constructor(private readonly signer: ServiceTokenSigner) {}

  /** Closed with the portal. */
  client(options: Omit<InternalClientOptions, 'signer'>): InternalClient {
    const client = new InternalClient({ ...options, signer: this.signer });
    this.clients.push(client);
    return client;
  }

  onApplicationShutdown(): void {
    for (const client of this.clients) client.close();
  }
}

/** @throws DomainError with what a service refused, in its words */
export function valueOf<T>(answer: PortalAnswer<T>): T {
  if (answer.ok) return answer.value;
  const { status, reason, message, retryAfterS, errors } = answer;
  const headers: Record<string, string> = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) };
  throw new DomainError({ status, reason, message, headers, ...(errors && { errors }) });
}

/** The domain says no, for this stable reason, in words for a person. */
export function refusal([status, reason]: [number, string], message: string, cause?: unknown): DomainError {
  return new DomainError({ status, reason, message, cause });
}

/** null: the service answers 404. */
export async function nullWhenUnknown<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof InternalCallError && error.status === 404) return null;
    throw error;
  }
}

export interface Silence {
  name: string;
  /** Services that did not answer. */
  silent: string[];
  log: Logger;
}

/** Waits for what a service knows; its silence is logged and named, because a page without one of its sources is better than none. */
export async function orSilent<T>(asked: Promise<T>, { name, silent, log }: Silence): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    log.warn({ event: 'neighbour-silent', source: name, err: error }, 'a page is shown without what another service knows');
    silent.push(name);
    return null;
  }
}
