import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { RedriveAnswer } from '@paycode/dto';
import { DomainError, LOGGER, type Logger } from '@paycode/service-runtime';
import { AuditLog } from '../audit/audit.ports';
import type { Overview, RequestReport } from '../four-eyes/four-eyes.service';
import { orSilent } from '../neighbours';
import { DeadLetterCalls } from './dead-letters.ports';
import { byService, type LetterRef, type LetterService, type ServiceLetter, textOf } from './domain/letter-selection';
import type { OnCall } from './on-call.service';
import { ReadLettersService } from './read-letters.service';
import { TwoPeople } from './two-people';

export type RedrivenLetter = RedriveAnswer & { service: LetterService };

export type RedriveState = Overview & {
  takesTwo: boolean;
  /** What the open request is about, as far as it is still kept. */
  letters: ServiceLetter[];
};

/** Flow: letters that somebody on call chose -> by one person in the sandbox, confirmed by a second one in production -> on record -> to their groups again. */
@Injectable()
export class RedriveLettersService {
  constructor(
    private readonly shown: ReadLettersService,
    private readonly calls: DeadLetterCalls,
    private readonly twoPeople: TwoPeople,
    private readonly audit: AuditLog,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async overview({ person }: OnCall): Promise<RedriveState> {
    if (!this.twoPeople.isProduction) return { takesTwo: false, request: null, owners: [], letters: [] };
    const refs = await this.twoPeople.askedAbout(person);
    const silent: string[] = [];
    const letters = await orSilent(this.shown.find(refs), { name: 'dead letters', silent, log: this.log });
    const fingerprint = letters === null ? null : fingerprintOf(letters);
    return { takesTwo: true, letters: letters ?? [], ...(await this.twoPeople.overview(fingerprint, person)) };
  }

  /** @throws DomainError 403 in production, where one person alone must not; 409 for a letter that is gone */
  async redrive(refs: readonly LetterRef[], asking: OnCall): Promise<RedrivenLetter[]> {
    if (this.twoPeople.isProduction) throw secondPerson();
    return this.carryOut(await this.all(refs), asking);
  }

  /** @throws DomainError 401, 409 */
  async ask({ letters: refs, current }: { letters: LetterRef[]; current: string }, asking: OnCall): Promise<RequestReport> {
    if (!this.twoPeople.isProduction) throw onePerson();
    await this.twoPeople.demand(current, asking);
    return this.twoPeople.ask({ fingerprint: fingerprintOf(await this.all(refs)), about: JSON.stringify(refs) }, asking);
  }

  /** @throws DomainError 401, 403 for the own request and for newcomers, 404, 409 for a request that has ended */
  async confirm({ requestId, current }: { requestId: string; current: string }, asking: OnCall): Promise<RedrivenLetter[]> {
    if (!this.twoPeople.isProduction) throw onePerson();
    await this.twoPeople.demand(current, asking);
    const letters = await this.shown.find(await this.twoPeople.askedAbout(asking.person, requestId));
    const { askedBy } = await this.twoPeople.confirm(requestId, fingerprintOf(letters), asking);
    return this.carryOut(letters, asking, askedBy.name);
  }

  private async all(refs: readonly LetterRef[]): Promise<ServiceLetter[]> {
    const letters = await this.shown.find(refs);
    if (letters.length < byService(refs).reduce((sum, [, ids]) => sum + ids.length, 0)) throw gone();
    return letters;
  }

  private async carryOut(letters: readonly ServiceLetter[], asking: OnCall, askedBy?: string): Promise<RedrivenLetter[]> {
    // Before: what is done and not written down cannot be told from what was never done.
    for (const letter of letters) await this.record(letter, asking, askedBy);
    const redriven: RedrivenLetter[] = [];
    for (const [service, ids] of byService(letters)) {
      const asked = this.calls.redrive(service, ids);
      const answers = await orSilent(asked, { name: service, silent: [], log: this.log });
      const failed = ids.map((letterId): RedriveAnswer => ({ letterId, outcome: 'FAILED', reason: null }));
      redriven.push(...(answers ?? failed).map(answer => ({ service, ...answer })));
    }
    return redriven;
  }

  private record(letter: ServiceLetter, { person, origin }: OnCall, askedBy?: string): Promise<void> {
    const { personId, name: personName } = person;
    const { service, letterId, group, transactionId, merchantId } = letter;
    const of = merchantId === null ? {} : { merchantId };
    const about: Record<string, string> = transactionId === null ? {} : { transactionId: String(transactionId) };
    const detail = { service, letterId: String(letterId), group, ...about, ...(askedBy === undefined ? {} : { askedBy }) };
    return this.audit.record({ personId, personName, action: 'DEAD_LETTER_REDRIVEN', ...of, origin, detail });
  }
}

function fingerprintOf(letters: readonly ServiceLetter[]): string {
  return createHash('sha256').update(textOf(letters)).digest('hex');
}

function secondPerson(): DomainError {
  const message = 'in production a second person on call confirms a redrive: ask for it first';
  return new DomainError({ status: 403, reason: 'SECOND_PERSON', message });
}

function onePerson(): DomainError {
  const message = 'in the sandbox one person redrives: nobody has to confirm it';
  return new DomainError({ status: 409, reason: 'ONE_PERSON', message });
}

function gone(): DomainError {
  const message =
    'one of these letters is kept no more: somebody has redriven it, or its 30 days are over; look at the list again';
  return new DomainError({ status: 409, reason: 'LETTER_GONE', message });
}
