import type { EndpointPause, EndpointPauseRequest, MerchantEndpoint } from '@paycode/dto';
import { DomainError, invalidField } from '@paycode/service-runtime';
import type { PauseLimits } from '../deliveries/domain/attempt-rules';
import type { RouteCache } from '../routes/route-cache';
import type { EndpointPauses } from './endpoint-pauses';
import type { BegunPause, PauseStore } from './pause.store';

/** More paused endpoints than anybody would pause one by one. */
const inEffectMax = 100;
const listedMax = 100;

/**
 * Flow: somebody on call names a merchant, a time and a reason -> its endpoint is paused for all dispatchers -> what is not armed yet waits in
 * the database, unarmed -> the time is over, or somebody ends it -> what waits is posted, the oldest first.
 */
export class PauseEndpoint {
  constructor(
    private readonly store: PauseStore,
    private readonly endpoints: MerchantEndpoints,
    private readonly pauses: EndpointPauses,
    private readonly limits: PauseLimits,
  ) {}

  /** @throws DomainError 400, 409 */
  async pause({ merchantId, durationS, reason }: EndpointPauseRequest, pausedBy: string): Promise<EndpointPause> {
    const { durationSMax, restS } = this.limits;
    if (durationS > durationSMax)
      throw invalidField('durationS', `must be at most ${durationSMax}: what has waited ${restS} seconds is reversed`);
    const endpoint = (await this.endpoints.of([merchantId])).get(merchantId);
    if (!endpoint) throw refusal('NO_ENDPOINT', 'no URL is set for this merchant, or it cannot be read now');
    const begun = await this.store.begin({ endpoint, merchantId, durationS, reason, pausedBy }, { restS, inEffectMax });
    if (begun.outcome !== 'BEGUN') throw refusalOf(begun);
    // This replica at once; the others read it within a second.
    await this.pauses.pass();
    return begun.pause;
  }

  /** @throws DomainError 409 */
  async resume(pauseId: number, endedBy: string): Promise<EndpointPause> {
    const ended = await this.store.end(pauseId, endedBy);
    if (!ended) throw refusal('NOT_PAUSED', 'this pause is over, or there was none');
    await this.pauses.pass();
    return ended;
  }

  list(): Promise<EndpointPause[]> {
    return this.store.list(listedMax);
  }

  /** The endpoint of each merchant, with the pause in effect there. */
  async endpointsOf(merchantIds: readonly number[]): Promise<MerchantEndpoint[]> {
    const [endpoints, listed] = await Promise.all([this.endpoints.of(merchantIds), this.store.list(inEffectMax)]);
    const inEffect = new Map(listed.filter(isInEffect(Date.now())).map(pause => [pause.endpoint, pause]));
    return [...endpoints].map(([merchantId, endpoint]) => ({
      merchantId,
      endpoint,
      pause: (endpoint !== null && inEffect.get(endpoint)) || null,
    }));
  }
}

/** For what people see; what deliveries do follows the clock of the database. */
function isInEffect(nowMs: number): (pause: EndpointPause) => boolean {
  return ({ endedAt, endsAt }) => endedAt === null && Date.parse(endsAt) > nowMs;
}

function refusalOf(begun: Exclude<BegunPause, { outcome: 'BEGUN' }>): DomainError {
  switch (begun.outcome) {
    case 'PAUSED':
      return refusal('PAUSED', `its endpoint is paused already, until ${begun.pause.endsAt}, by ${begun.pause.pausedBy}`);
    case 'TOO_SOON':
      return refusal(
        'PAUSED_LATELY',
        `its endpoint was paused lately and can be paused again at ${begun.againAt}: what waits must be sent before`,
      );
    case 'FULL':
      return refusal('TOO_MANY_PAUSES', `${inEffectMax} endpoints are paused already: end one of these pauses first`);
  }
}

const refusal = (reason: string, message: string) => new DomainError({ status: 409, reason, message });

/** The endpoint of merchants without a URL is no endpoint. */
const noEndpoint = 'none';

/** Which endpoint the deliveries of a merchant go to, by its URL of now. */
export class MerchantEndpoints {
  constructor(private readonly routes: Pick<RouteCache, 'current' | 'lastOrigin'>) {}

  /** null: no URL is set, or it cannot be read now. */
  async of(merchantIds: readonly number[]): Promise<Map<number, string | null>> {
    const read = await Promise.allSettled(merchantIds.map(merchantId => this.routes.current(merchantId)));
    const endpoints = merchantIds.map((merchantId, at): [number, string | null] => {
      const origin = read[at]!.status === 'fulfilled' ? this.routes.lastOrigin(merchantId) : undefined;
      return [merchantId, origin === undefined || origin === noEndpoint ? null : origin];
    });
    return new Map(endpoints);
  }
}
