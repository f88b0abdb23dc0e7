import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { RedriveAnswer } from '@paycode/dto';
import { DomainError, LOGGER, type Logger } from '@paycode/service-runtime';
import { Clock } from '@paycode/service-runtime/timing';
import { AuditLog, type ByPerson, doneBy } from '../audit';
import { FourEyesService, type Overview, type RequestReport } from '../four-eyes/four-eyes.service';
import { orSilent, refusal } from '../neighbours';
import { PORTAL_RULES, type PortalRules } from '../sessions/portal.guard';
import type { Proof, Proven } from '../sessions/proofs';
import { PasswordService } from '../sign-in/password.service';
import { notYours } from '../tenancy/scope';
import {
  byService,
  effectOf,
  type LetterRef,
  type LetterService,
  letterServices,
  type RedriveEffect,
  type ServiceLetter,
  textOf,
} from './domain/dead-letter';
import { DeadLetterCalls, OnCallCalls } from './on-call-calls';

export interface LettersPage {
  services: { service: LetterService; letters: ServiceLetter[]; isMore: boolean }[];
  /** Services that did not answer: their dead letters are missing. */
  silent: string[];
}

export type PreviewedLetter = ServiceLetter & { effect: RedriveEffect };

export type RedrivenLetter = RedriveAnswer & { service: LetterService };

export type RedriveState = Overview & {
  takesTwo: boolean;
  /** Dead letters of the open request, without those that are deleted by now. */
  letters: ServiceLetter[];
};

const shownMax = 25;
const kind = 'DEAD_LETTERS';

/**
 * Flow: the services' dead letters -> shown without payloads -> what a redrive of some would do, by what dispatcher and scheduler know of their
 * payments -> by one person in the sandbox, confirmed by a second one in production -> on record -> to their groups again. In production each
 * step takes the own password too (T-57).
 */
@Injectable()
export class RedriveService {
  constructor(
    private readonly letters: DeadLetterCalls,
    private readonly calls: OnCallCalls,
    private readonly fourEyes: FourEyesService,
    private readonly password: PasswordService,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    @Inject(PORTAL_RULES) private readonly rules: PortalRules,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** The latest of each service, or older ones of one. */
  async list(
    { service, before }: { service?: LetterService | undefined; before?: number | undefined },
    { proof }: Proven,
  ): Promise<LettersPage> {
    const silent: string[] = [];
    const pages = (service ? [service] : letterServices).map(async name => {
      const asked = this.letters.list(name, { before: service && before, limit: shownMax }, proof);
      const page = await orSilent(asked, { name, silent, log: this.log });
      return page
        ? [{ service: name, letters: page.letters.map(letter => ({ service: name, ...letter })), isMore: page.isMore }]
        : [];
    });
    return { services: (await Promise.all(pages)).flat(), silent };
  }

  /** Those of these that are still kept. @throws when a service does not answer */
  async find(refs: readonly LetterRef[], proof: Proof): Promise<ServiceLetter[]> {
    const found = byService(refs).map(async ([service, ids]) =>
      (await this.letters.find(service, ids, proof)).map((letter): ServiceLetter => ({ service, ...letter })),
    );
    return (await Promise.all(found)).flat();
  }

  /** One after the other: so many payments are not asked about at once. */
  async preview(letters: readonly ServiceLetter[]): Promise<PreviewedLetter[]> {
    const previewed: PreviewedLetter[] = [];
    for (const letter of letters) previewed.push({ ...letter, effect: await this.effectOf(letter) });
    return previewed;
  }

  async overview({ person, proof }: Proven): Promise<RedriveState> {
    if (!this.rules.isProduction) return { takesTwo: false, request: null, owners: [], letters: [] };
    const refs = await this.askedAbout(person);
    const silent: string[] = [];
    const letters = await orSilent(this.find(refs, proof), { name: 'dead letters', silent, log: this.log });
    const fingerprint = letters === null ? null : fingerprintOf(letters);
    return { takesTwo: true, letters: letters ?? [], ...(await this.fourEyes.overview({ kind, fingerprint }, person)) };
  }

  /** @throws DomainError 403 in production, where one person alone must not; 409 for a letter that is gone */
  async redrive(refs: readonly LetterRef[], asking: Proven): Promise<RedrivenLetter[]> {
    if (this.rules.isProduction) throw secondPerson();
    return this.carryOut(await this.all(refs, asking.proof), asking);
  }

  /** @throws DomainError 401, 409 */
  async ask({ letters: refs, current }: { letters: LetterRef[]; current: string }, asking: Proven): Promise<RequestReport> {
    if (!this.rules.isProduction) throw onePerson();
    await this.password.demand(current, asking);
    const fingerprint = fingerprintOf(await this.all(refs, asking.proof));
    return this.fourEyes.ask({ kind, fingerprint, about: JSON.stringify(refs) }, asking);
  }

  /** @throws DomainError 401, 403 for the own request and for newcomers, 404, 409 for a request that has ended */
  async confirm({ requestId, current }: { requestId: string; current: string }, asking: Proven): Promise<RedrivenLetter[]> {
    if (!this.rules.isProduction) throw onePerson();
    await this.password.demand(current, asking);
    const letters = await this.find(await this.askedAbout(asking.person, requestId), asking.proof);
    const { askedBy } = await this.fourEyes.confirm(requestId, { kind, fingerprint: fingerprintOf(letters) }, asking);
    return this.carryOut(letters, asking, askedBy.name);
  }

  /** The letters of the latest request; with `requestId`, of no other one. @throws DomainError 404 */
  private async askedAbout(person: ByPerson['person'], requestId?: string): Promise<LetterRef[]> {
    const latest = await this.fourEyes.latest(kind, person);
    if (requestId !== undefined && latest?.requestId !== requestId) throw notYours();
    return latest?.about ? (JSON.parse(latest.about) as LetterRef[]) : [];
  }

  private async all(refs: readonly LetterRef[], proof: Proof): Promise<ServiceLetter[]> {
    const letters = await this.find(refs, proof);
    if (letters.length < byService(refs).reduce((sum, [, ids]) => sum + ids.length, 0)) throw gone();
    return letters;
  }

  private async carryOut(letters: readonly ServiceLetter[], asking: Proven, askedBy?: string): Promise<RedrivenLetter[]> {
    // Before: what is done and not written down cannot be told from what was never done.
    for (const letter of letters) await this.record(letter, asking, askedBy);
    const redriven: RedrivenLetter[] = [];
    for (const [service, ids] of byService(letters)) {
      const asked = this.letters.redrive(service, ids, asking.proof);
      const answers = await orSilent(asked, { name: service, silent: [], log: this.log });
      const failed = ids.map((letterId): RedriveAnswer => ({ letterId, outcome: 'FAILED', reason: null }));
      redriven.push(...(answers ?? failed).map(answer => ({ service, ...answer })));
    }
    return redriven;
  }

  private record(letter: ServiceLetter, asking: ByPerson, askedBy?: string): Promise<void> {
    const { service, letterId, group, transactionId, merchantId } = letter;
    const of = merchantId === null ? {} : { merchantId };
    const about: Record<string, string> = transactionId === null ? {} : { transactionId: String(transactionId) };
    const detail = { service, letterId: String(letterId), group, ...about, ...(askedBy === undefined ? {} : { askedBy }) };
    return this.audit.record({ ...doneBy(asking), action: 'DEAD_LETTER_REDRIVEN', ...of, detail });
  }

  private async effectOf({ group, defect, eventAt, transactionId }: ServiceLetter): Promise<RedriveEffect> {
    const known = { group, defect, eventAt };
    if (defect !== null || transactionId === null) return effectOf({ ...known, hasDelivery: undefined, isDecided: undefined }, 0);
    const silent: string[] = [];
    const [delivery, reversal] = await Promise.all([
      orSilent(this.calls.delivery(transactionId), { name: 'dispatcher', silent, log: this.log }),
      orSilent(this.calls.reversal(transactionId), { name: 'scheduler', silent, log: this.log }),
    ]);
    const hasDelivery = silent.includes('dispatcher') ? undefined : delivery !== null;
    const isDecided = silent.includes('scheduler') ? undefined : reversal !== null && reversal.state !== 'ARMED';
    return effectOf({ ...known, hasDelivery, isDecided }, this.clock.epochMs());
  }
}

function fingerprintOf(letters: readonly ServiceLetter[]): string {
  return createHash('sha256').update(textOf(letters)).digest('hex');
}

const secondPerson = () =>
  refusal([403, 'SECOND_PERSON'], 'in production a second person on call confirms a redrive: ask for it first');
const onePerson = () => refusal([409, 'ONE_PERSON'], 'in the sandbox one person redrives: nobody has to confirm it');

function gone(): DomainError {
  const message =
    'one of these letters is kept no more: somebody has redriven it, or its 30 days are over; look at the list again';
  return new DomainError({ status: 409, reason: 'LETTER_GONE', message });
}
