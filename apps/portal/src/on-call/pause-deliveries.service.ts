import { Injectable } from '@nestjs/common';
import type { EndpointPause } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { type AuditEvent, AuditLog } from '../audit/audit.ports';
import { actorOf } from '../people/domain/person';
import { OnCallCalls } from './on-call.ports';
import type { OnCall } from './on-call.service';

export interface PauseRequest {
  merchantId: number;
  minutes: number;
  reason: string;
}

/** Flow: somebody on call pauses or resumes deliveries to a merchant's endpoint -> written down with the name -> the dispatcher does it. */
@Injectable()
export class PauseDeliveriesService {
  constructor(
    private readonly calls: OnCallCalls,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError with what the dispatcher refuses, in its words */
  async pause({ merchantId, minutes, reason }: PauseRequest, asking: OnCall): Promise<EndpointPause> {
    // Before: what is done and not written down cannot be told from what was never done.
    await this.record('DELIVERIES_PAUSED', asking, { merchantId, detail: { minutes: String(minutes), reason } });
    return this.calls.pause({ merchantId, durationS: minutes * 60, reason, actor: actorOf(asking.person) });
  }

  /** @throws DomainError 404, or with what the dispatcher refuses, in its words */
  async resume(pauseId: number, asking: OnCall): Promise<EndpointPause> {
    const pause = (await this.calls.pauses()).find(each => each.pauseId === pauseId);
    if (!pause) throw new DomainError({ status: 404, reason: 'NO_PAUSE', message: 'there is no such pause' });
    await this.record('DELIVERIES_RESUMED', asking, { merchantId: pause.merchantId, detail: { pauseId: String(pauseId) } });
    return this.calls.resume({ pauseId, actor: actorOf(asking.person) });
  }

  private record(
    action: AuditEvent['action'],
    { person, origin }: OnCall,
    of: Pick<AuditEvent, 'merchantId' | 'detail'>,
  ): Promise<void> {
    const { personId, name: personName } = person;
    return this.audit.record({ personId, personName, action, ...of, origin });
  }
}
