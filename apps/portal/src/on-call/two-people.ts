import { Injectable } from '@nestjs/common';
import { FourEyesService, type Overview, type RequestReport, type Subject } from '../four-eyes/four-eyes.service';
import { CurrentPassword } from '../sign-in/current-password';
import { notYours } from '../tenancy/scope';
import type { LetterRef } from './domain/letter-selection';
import type { OnCall } from './on-call.service';

const kind = 'DEAD_LETTERS';

export class RedriveRules {
  constructor(readonly isProduction: boolean) {}
}

/** What the redrive needs of four eyes: in production each step takes the own password too (T-57). */
@Injectable()
export class TwoPeople {
  constructor(
    private readonly fourEyes: FourEyesService,
    private readonly current: CurrentPassword,
    private readonly rules: RedriveRules,
  ) {}

  get isProduction(): boolean {
    return this.rules.isProduction;
  }

  /** The letters of the latest request; with `requestId`, of no other one. @throws DomainError 404 */
  async askedAbout(person: OnCall['person'], requestId?: string): Promise<LetterRef[]> {
    const latest = await this.fourEyes.latest(kind, person);
    if (requestId !== undefined && latest?.requestId !== requestId) throw notYours();
    return latest?.about ? (JSON.parse(latest.about) as LetterRef[]) : [];
  }

  overview(fingerprint: string | null, person: OnCall['person']): Promise<Overview> {
    return this.fourEyes.overview({ kind, fingerprint }, person);
  }

  demand(current: string, asking: OnCall): Promise<void> {
    return this.current.demand(current, asking);
  }

  ask(subject: Omit<Subject, 'kind'>, asking: OnCall): Promise<RequestReport> {
    return this.fourEyes.ask({ kind, ...subject }, asking);
  }

  confirm(requestId: string, fingerprint: string, asking: OnCall): Promise<RequestReport> {
    return this.fourEyes.confirm(requestId, { kind, fingerprint }, asking);
  }
}
